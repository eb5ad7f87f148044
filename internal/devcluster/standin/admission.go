package standin

import (
	"context"
	"crypto/tls"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"

	"github.com/k0smos/terraform-provider-k0smos/internal/devcluster/pki"
)

const (
	webhookName   = "validate-k0smotroncontrolplane-v1beta2.k0smotron.io"
	webhookConfig = "k0smotron-validating-webhook-configuration-control-plane"
	webhookPath   = "/validate-controlplane-cluster-x-k8s-io-v1beta2-k0smotroncontrolplane"

	// largestReview is far above what an API server sends: objects are at most a few MB.
	largestReview = 32 << 20
)

// admission is the webhook server: HTTPS on loopback, reached by the API server by URL.
type admission struct {
	server  *http.Server
	served  chan error
	failing atomic.Int64
}

// startAdmission serves the webhook and registers it in place of any that an earlier stand-in has left.
func startAdmission(ctx context.Context, client dynamic.Interface) (*admission, error) {
	ca, err := pki.NewCA("k0smotron stand-in webhook")
	if err != nil {
		return nil, err
	}
	pair, err := ca.Server("127.0.0.1")
	if err != nil {
		return nil, err
	}
	certificate, err := tls.X509KeyPair(pair.CertPEM, pair.KeyPEM)
	if err != nil {
		return nil, err
	}
	var listen net.ListenConfig
	listener, err := listen.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	a := &admission{served: make(chan error, 1)}
	mux := http.NewServeMux()
	mux.HandleFunc(webhookPath, a.review)
	a.server = &http.Server{
		Handler:           mux,
		ReadHeaderTimeout: 10 * time.Second,
		TLSConfig:         &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12},
	}
	go func() { a.served <- a.server.ServeTLS(listener, "", "") }()
	if err := register(ctx, client, "https://"+listener.Addr().String()+webhookPath, ca.CertPEM); err != nil {
		return nil, fmt.Errorf("registering the stand-in's webhook: %w%s", err, causeOf(a.close()))
	}
	return a, nil
}

func register(ctx context.Context, client dynamic.Interface, url string, ca []byte) error {
	if err := unregister(ctx, client); err != nil {
		return err
	}
	_, err := client.Resource(webhookConfigs.resource).Create(ctx, &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": webhookConfigs.apiVersion(),
		"kind":       webhookConfigs.name,
		"metadata":   map[string]any{"name": webhookConfig},
		"webhooks": []any{map[string]any{
			"name":                    webhookName,
			"admissionReviewVersions": []any{"v1"},
			"sideEffects":             "None",
			"failurePolicy":           "Fail",
			"clientConfig":            map[string]any{"url": url, "caBundle": base64.StdEncoding.EncodeToString(ca)},
			"rules": []any{map[string]any{
				"apiGroups":   []any{controlPlane.resource.Group},
				"apiVersions": []any{controlPlane.resource.Version},
				"resources":   []any{controlPlane.resource.Resource},
				"operations":  []any{"CREATE", "UPDATE"},
			}},
		}},
	}}, metav1.CreateOptions{FieldManager: fieldManager})
	return err
}

// unregister takes the webhook out of the API server: one that is registered and does not answer blocks every write.
func unregister(ctx context.Context, client dynamic.Interface) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	err := client.Resource(webhookConfigs.resource).Delete(ctx, webhookConfig, metav1.DeleteOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

func (a *admission) close() error {
	err := a.server.Close()
	<-a.served
	return err
}

// review answers one AdmissionReview.
func (a *admission) review(w http.ResponseWriter, r *http.Request) {
	if a.failing.Load() > 0 && a.failing.Add(-1) >= 0 {
		http.Error(w, "internal error of the webhook", http.StatusInternalServerError)
		return
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, largestReview))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	// Numbers are read as the API machinery reads them, integers as int64.
	var in unstructured.Unstructured
	if err := in.UnmarshalJSON(body); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	object, _ := lookup[map[string]any](in.Object, "request", "object")
	old, _ := lookup[map[string]any](in.Object, "request", "oldObject")
	warnings, err := validate(old, object)
	response := map[string]any{"uid": text(in.Object, "request", "uid"), "allowed": err == nil}
	if len(warnings) > 0 {
		response["warnings"] = warnings
	}
	if err != nil {
		response["status"] = map[string]any{"code": http.StatusForbidden, "reason": string(metav1.StatusReasonForbidden), "message": err.Error()}
	}
	w.Header().Set("Content-Type", "application/json")
	// Who asked may be gone; there is nobody else to tell.
	_ = json.NewEncoder(w).Encode(map[string]any{
		"apiVersion": "admission.k8s.io/v1",
		"kind":       "AdmissionReview",
		"response":   response,
	})
}
