package acctest

import (
	"crypto/tls"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k0smos/terraform-provider-k0smos/internal/devcluster/pki"
	"github.com/k0smos/terraform-provider-k0smos/internal/kube"
)

// Review is what a webhook is asked to judge.
type Review struct {
	UID       string         `json:"uid"`
	Operation string         `json:"operation"`
	Namespace string         `json:"namespace"`
	Name      string         `json:"name"`
	DryRun    bool           `json:"dryRun"`
	Object    map[string]any `json:"object"`
}

// Verdict is its answer. The zero value allows.
type Verdict struct {
	Deny   string // the reason
	Patch  string // JSON patch, for a mutating webhook
	Status int    // not 0: the webhook itself fails with this HTTP status
}

// Webhook has judge decide, for one test, over creations and updates of a kind in one namespace. With mutating it may
// patch them.
func (a *API) Webhook(t testing.TB, kind kube.Kind, namespace string, mutating bool, judge func(Review) Verdict) {
	t.Helper()
	ca, err := pki.NewCA("webhook")
	if err != nil {
		t.Fatal(err)
	}
	pair, err := ca.Server("127.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	certificate, err := tls.X509KeyPair(pair.CertPEM, pair.KeyPEM)
	if err != nil {
		t.Fatal(err)
	}
	var asked atomic.Bool // the API server knows the webhook and reaches it
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer(w, r, func(review Review) Verdict {
			if review.Name == probe {
				asked.Store(true)
				return Verdict{}
			}
			return judge(review)
		})
	}))
	server.TLS = &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12}
	server.StartTLS()
	t.Cleanup(server.Close)
	family := "Validating"
	if mutating {
		family = "Mutating"
	}
	name := strings.ToLower(family) + "-" + namespace
	a.ApplyAs(t, "acctest", fmt.Sprintf(`
apiVersion: admissionregistration.k8s.io/v1
kind: %sWebhookConfiguration
metadata: {name: %s}
webhooks:
- name: %s.acctest.k0smos.io
  clientConfig: {url: "%s/", caBundle: %s}
  rules: [{apiGroups: ["%s"], apiVersions: ["%s"], resources: ["%s"], operations: [CREATE, UPDATE]}]
  namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: %s}}
  failurePolicy: Fail
  sideEffects: None
  timeoutSeconds: 5
  admissionReviewVersions: [v1]
`, family, name, strings.ToLower(family), server.URL, base64.StdEncoding.EncodeToString(ca.CertPEM), kind.Group, kind.Version, kind.Resource, namespace))
	t.Cleanup(func() {
		a.Delete(t, kube.Key{Name: name, Kind: kube.Kind{
			Group: "admissionregistration.k8s.io", Version: "v1", Kind: family + "WebhookConfiguration", Resource: strings.ToLower(family) + "webhookconfigurations",
		}})
	})
	Eventually(t, "the webhook is in force", func() bool {
		a.dryRun(t, kube.Key{Kind: kind, Namespace: namespace, Name: probe})
		return asked.Load()
	})
}

// probe is the name of an object that is never made: its dry run shows whether a webhook is in force.
const probe = "webhook-probe"

func (a *API) dryRun(t testing.TB, k kube.Key) {
	t.Helper()
	ctx, cancel := lasting(t)
	defer cancel()
	object := &unstructured.Unstructured{}
	object.SetAPIVersion(k.Kind.APIVersion())
	object.SetKind(k.Kind.Kind)
	object.SetNamespace(k.Namespace)
	object.SetName(k.Name)
	if _, err := a.of(k).Create(ctx, object, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}}); err != nil {
		t.Fatalf("dry run of %s: %v", k, err)
	}
}

func answer(w http.ResponseWriter, r *http.Request, judge func(Review) Verdict) {
	var review struct {
		Request Review `json:"request"`
	}
	body, err := io.ReadAll(r.Body)
	if err == nil {
		err = json.Unmarshal(body, &review)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	verdict := judge(review.Request)
	if verdict.Status != 0 {
		http.Error(w, "the webhook is broken", verdict.Status)
		return
	}
	response := map[string]any{"uid": review.Request.UID, "allowed": verdict.Deny == ""}
	if verdict.Deny != "" {
		response["status"] = map[string]any{"message": verdict.Deny}
	}
	if verdict.Patch != "" {
		response["patchType"], response["patch"] = "JSONPatch", []byte(verdict.Patch)
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "response": response})
}
