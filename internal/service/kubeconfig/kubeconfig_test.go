package kubeconfig

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/ephemeral/timeouts"
	resourceschema "github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
	"github.com/k0smos/terraform-provider-k0smos/internal/devcluster/pki"
	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

const canary = "canary-8d1f"

func TestSchemaAndModelAgree(t *testing.T) {
	attributes := map[string]resourceschema.Attribute{"timeouts": timeouts.Attributes(t.Context())}
	for name, a := range ephemeralSchema().Attributes {
		attributes[name] = a
	}
	for _, wrong := range tf.Parity[Model](t.Context(), attributes) {
		t.Error(wrong)
	}
}

// admin is a kubeconfig as k0smotron writes it, and the pair in it.
func admin(t *testing.T) (string, pki.Pair) {
	t.Helper()
	ca, err := pki.NewCA("train")
	if err != nil {
		t.Fatal(err)
	}
	pair, err := ca.Client("kubernetes-super-admin", "system:masters")
	if err != nil {
		t.Fatal(err)
	}
	return document("https://192.0.2.7:6443", ca.CertPEM, fmt.Sprintf("{client-certificate-data: %s, client-key-data: %s}", encoded(pair.CertPEM), encoded(pair.KeyPEM))), pair
}

func document(server string, ca []byte, user string) string {
	return fmt.Sprintf(`apiVersion: v1
kind: Config
clusters: [{name: train-k0s, cluster: {server: %q, certificate-authority-data: %s}}]
contexts: [{name: train-admin@train-k0s, context: {cluster: train-k0s, user: train-admin}}]
current-context: train-admin@train-k0s
users: [{name: train-admin, user: %s}]
preferences: {}
`, server, encoded(ca), user)
}

func encoded[T string | []byte](s T) string { return base64.StdEncoding.EncodeToString([]byte(s)) }

func secretOf(content string) composite.Live {
	return composite.Live{&unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Secret", "metadata": map[string]any{"name": "train-kubeconfig", "namespace": "geo"},
		"data": map[string]any{"value": encoded(content)},
	}}}
}

func model(account *ServiceAccount) Model {
	m := Model{Cluster: tf.ObjectOf(composite.ClusterRef{Name: types.StringValue("train"), Namespace: types.StringValue("geo"), UID: types.StringNull()})}
	if account != nil {
		m.ServiceAccount = tf.ObjectOf(*account)
	}
	return m
}

func account(expiration string, audiences ...string) *ServiceAccount {
	a := &ServiceAccount{Name: types.StringValue("deployer"), Namespace: types.StringValue("ci"), Audiences: tf.NullList[types.String](), Expiration: tf.NullDuration()}
	if expiration != "" {
		a.Expiration = tf.DurationOf(expiration)
	}
	if len(audiences) > 0 {
		var list []types.String
		for _, s := range audiences {
			list = append(list, types.StringValue(s))
		}
		a.Audiences = tf.ListOf(list...)
	}
	return a
}

func TestTheAdminKubeconfigIsWrittenAnewAndAlwaysAlike(t *testing.T) {
	content, pair := admin(t)
	m, again := model(nil), model(nil)
	lease, findings := open(&m, secretOf(content), nil)
	if len(findings) > 0 || !lease.Until.IsZero() {
		t.Fatalf("findings %v, lease until %s", findings, lease.Until)
	}
	// The same access in another spelling, with something that only kubectl would mind.
	other := strings.Replace(content, "preferences: {}", "preferences: {colors: true}\nextensions: []", 1)
	if _, findings = open(&again, secretOf(other), nil); len(findings) > 0 {
		t.Fatal(findings)
	}
	if m.Kubeconfig != again.Kubeconfig {
		t.Errorf("two kubeconfigs for one access:\n%s\n%s", m.Kubeconfig.ValueString(), again.Kubeconfig.ValueString())
	}
	if m.Host.ValueString() != "https://192.0.2.7:6443" || m.ClientKey.ValueString() != string(pair.KeyPEM) || m.ClientCertificate.ValueString() != string(pair.CertPEM) {
		t.Errorf("host %s, and the pair may differ", m.Host)
	}
	if !m.Token.IsNull() || m.ExpiresAt.IsNull() || m.ClusterCACertificate.IsNull() {
		t.Errorf("token null: %t, expires_at %s", m.Token.IsNull(), m.ExpiresAt)
	}
	a, err := read([]byte(m.Kubeconfig.ValueString()))
	if err != nil || string(a.key) != string(pair.KeyPEM) {
		t.Errorf("what was written cannot be read: %v", err)
	}
}

func TestAServiceAccountGetsItsTokenAndNothingOfTheAdmin(t *testing.T) {
	content, _ := admin(t)
	m := model(account("20m"))
	lease, findings := open(&m, secretOf(content), map[string]any{"status": map[string]any{"token": canary, "expirationTimestamp": "2026-01-31T12:00:00Z"}})
	if len(findings) > 0 {
		t.Fatal(findings)
	}
	if m.Token.ValueString() != canary || !m.ClientKey.IsNull() || !m.ClientCertificate.IsNull() || m.ExpiresAt.ValueString() != "2026-01-31T12:00:00Z" {
		t.Errorf("client key null: %t, expires_at %s", m.ClientKey.IsNull(), m.ExpiresAt)
	}
	text := m.Kubeconfig.ValueString()
	for _, want := range []string{"token: " + canary, "namespace: ci", "name: ci:deployer", "current-context: train"} {
		if !strings.Contains(text, want) {
			t.Errorf("the kubeconfig lacks %q", want)
		}
	}
	if strings.Contains(text, "client-key-data") {
		t.Error("the kubeconfig has the admin's key")
	}
	if !lease.Until.Equal(time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)) || strings.Contains(lease.Ending.Detail, canary) || !strings.Contains(lease.Ending.Summary, "ci/deployer") {
		t.Errorf("lease %+v", lease)
	}
}

func TestAnAnswerWithoutATokenIsRefused(t *testing.T) {
	content, _ := admin(t)
	m := model(account(""))
	if _, findings := open(&m, secretOf(content), map[string]any{"status": map[string]any{}}); len(findings) != 1 || findings[0].Warning {
		t.Errorf("findings %v", findings)
	}
}

func TestUnusableKubeconfigsAreRefusedWithoutQuotingThem(t *testing.T) {
	good, _ := admin(t)
	withUser := func(user string) string { return document("https://192.0.2.7:6443", nil, user) }
	for name, test := range map[string]struct{ content, why string }{
		"no content":                  {"", "it is empty"},
		"not YAML":                    {"token: [" + canary, "it is not a kubeconfig"},
		"some other YAML":             {"password: " + canary, "it is not a kubeconfig"},
		"a type that is not expected": {"contexts: " + canary, "it is not a kubeconfig"},
		"no such context":             {strings.Replace(good, "current-context: ", "current-context: "+canary, 1), "its current context is not in it"},
		"a cluster without TLS":       {document("http://"+canary, nil, "{token: x}"), "no cluster with an https:// address"},
		"a CA that is no certificate": {document("https://x", []byte(canary), "{token: x}"), "holds no certificate in PEM form"},
		"a key that is not base64":    {withUser("{client-key-data: '!" + canary + "'}"), "client-key-data is not base64"},
		"a key without a certificate": {withUser("{client-key-data: " + encoded(canary) + "}"), "not a usable pair"},
		"a program to run":            {withUser("{exec: {command: " + canary + "}}"), "neither a client certificate nor a token"},
		"a file with the token":       {withUser("{tokenFile: /" + canary + "}"), "neither a client certificate nor a token"},
		"somebody else's rights":      {withUser("{token: " + canary + ", as: viewer}"), "acts as another one"},
	} {
		t.Run(name, func(t *testing.T) {
			m := model(nil)
			_, findings := open(&m, secretOf(test.content), nil)
			if len(findings) != 1 || findings[0].Warning {
				t.Fatalf("findings %v", findings)
			}
			text := findings[0].Summary + findings[0].Detail
			if !strings.Contains(text, test.why) || !strings.Contains(text, "geo/train-kubeconfig") {
				t.Errorf("it says: %s", text)
			}
			if strings.Contains(text, canary) || strings.Contains(text, encoded(canary)) {
				t.Errorf("it quotes the content: %s", text)
			}
		})
	}
}

func TestATokenIsAskedForAsConfigured(t *testing.T) {
	for name, test := range map[string]struct {
		account *ServiceAccount
		seconds int64
		extra   string
	}{
		"an hour unless told otherwise":    {account(""), 3600, "[]"},
		"as long as it is told":            {account("90m"), 5400, "[]"},
		"parts of a second are rounded up": {account("10m0.5s"), 601, "[]"},
		"for whom it is told":              {account("", "vault", "https://sts.example.net"), 3600, "[vault https://sts.example.net]"},
	} {
		t.Run(name, func(t *testing.T) {
			request, ok := tokenRequest(model(test.account))
			if !ok || request.Path != "/api/v1/namespaces/ci/serviceaccounts/deployer/token" {
				t.Fatalf("asked %t at %s", ok, request.Path)
			}
			spec, _ := request.Body["spec"].(map[string]any)
			audiences, _ := spec["audiences"].([]any)
			if spec["expirationSeconds"] != test.seconds || fmt.Sprint(audiences) != test.extra {
				t.Errorf("spec %v", spec)
			}
		})
	}
	if _, ok := tokenRequest(model(nil)); ok {
		t.Error("a token was asked for without a service account")
	}
}

func TestTheLifetimeOfATokenHasBounds(t *testing.T) {
	for expiration, fine := range map[string]bool{"": true, "10m": true, "600s": true, "9m59s": false, "0s": false, "-1h": false, "1200000h": false, "8760h": true} {
		if got := len(longEnough(model(account(expiration)))) == 0; got != fine {
			t.Errorf("%q is fine: %t", expiration, got)
		}
	}
	unknown := account("")
	unknown.Expiration = tf.UnknownDuration()
	if findings := longEnough(model(unknown)); len(findings) > 0 {
		t.Errorf("an unknown one: %v", findings)
	}
}

func TestAClusterIsUsableOnceItsAPIServerHasAnswered(t *testing.T) {
	live := func(initialized, deleting bool) map[string]any {
		metadata := map[string]any{"uid": "u-1"}
		if deleting {
			metadata["deletionTimestamp"] = "2026-01-31T12:00:00Z"
		}
		return map[string]any{"metadata": metadata, "status": map[string]any{"initialization": map[string]any{"controlPlaneInitialized": initialized}}}
	}
	for name, test := range map[string]struct {
		live          map[string]any
		uid           string
		ready, failed bool
	}{
		"it has answered":                              {live(true, false), "", true, false},
		"it has answered and is the one meant":         {live(true, false), "u-1", true, false},
		"it was made anew":                             {live(true, false), "u-0", false, true},
		"it is coming up":                              {live(false, false), "u-1", false, false},
		"it has no status at all":                      {map[string]any{"metadata": map[string]any{"uid": "u-1"}}, "", false, false},
		"it goes without having come up":               {live(false, true), "", false, true},
		"it goes, and what is in it must be destroyed": {live(true, true), "u-1", true, false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := usable(test.live, test.uid); got.Ready != test.ready || got.Failed != test.failed {
				t.Errorf("%+v", got)
			}
		})
	}
}
