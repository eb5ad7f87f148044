package manifest_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/k0smos/terraform-provider-k0smos/internal/acctest"
	"github.com/k0smos/terraform-provider-k0smos/internal/acctest/cli"
	"github.com/k0smos/terraform-provider-k0smos/internal/acctest/faultproxy"
	"github.com/k0smos/terraform-provider-k0smos/internal/kube"
)

func TestAccSecretsAreInNoStatePlanOrLog(t *testing.T) {
	t.Parallel()
	api := acctest.SharedServer(t)
	proxy := api.Proxy(t)
	namespace := api.Namespace(t)
	secret := kube.Key{Kind: acctest.Secrets, Namespace: namespace, Name: "s"}
	first, second, hand := acctest.Canary("first"), acctest.Canary("second"), acctest.Canary("hand")
	canaries := []string{first, second, hand, proxy.Token()}
	text := func(version int) string {
		return acctest.ProviderBlock(fmt.Sprintf("host = %q", proxy.URL()), "cluster_ca_certificate = <<-PEM\n"+string(proxy.CA())+"  PEM",
			fmt.Sprintf("token_path = %q", proxy.TokenFile()), "plan_manifests = true") + `
variable "password" {
  type      = string
  ephemeral = true
  sensitive = true
}
` + manifest("x", fmt.Sprintf("apiVersion: v1\nkind: Secret\nmetadata: {name: s, namespace: %s}\ntype: Opaque", namespace),
			"secret_data_wo = { password = var.password }", fmt.Sprintf("secret_data_wo_version = %d", version))
	}
	stored := func() any { return field(api.Get(t, secret), "data", "password") }
	w := cli.New(t, text(1))
	w.Trace = true

	w.Env = []string{"TF_VAR_password=" + first}
	w.Apply(t)
	equal(t, "password", stored(), encoded(first))
	unchanged(t, w)

	w.Env = []string{"TF_VAR_password=" + second}
	unchanged(t, w) // only another version writes it again
	w.Configure(t, text(2))
	changes(t, w, map[string]string{address: "update"})
	w.Apply(t)
	equal(t, "password", stored(), encoded(second))
	unchanged(t, w)

	api.EditAs(t, "kubectl-edit", secret, set(encoded(hand), "data", "password"))
	changes(t, w, map[string]string{address: "update"})
	w.Apply(t)
	equal(t, "password", stored(), encoded(second))
	unchanged(t, w)

	// Errors show no secret either.
	refuse := proxy.Add(faultproxy.Rule{Match: faultproxy.Match{Resource: "secrets", Verb: "apply", DryRun: faultproxy.OnlyReal}, Do: faultproxy.Answer(422, "Invalid", "Secret is invalid")})
	w.Configure(t, text(3))
	outputs := w.TryApply(t).Output
	refuse.Remove()
	w.Must(t, "plan", "-no-color", "-out=look.plan")
	var plan map[string]any
	w.JSON(t, &plan, "show", "-json", "look.plan")
	outputs += fmt.Sprint(plan)
	if err := os.WriteFile(filepath.Join(w.Dir, "outputs.txt"), []byte(outputs), 0o600); err != nil {
		t.Fatal(err)
	}
	w.Destroy(t)
	for _, file := range []string{"terraform.tfstate", "terraform.tfstate.backup", "outputs.txt", "trace-1.log"} {
		if _, err := os.Stat(filepath.Join(w.Dir, file)); err != nil {
			t.Errorf("there is nothing to look at: %v", err)
		}
	}
	acctest.NoCanary(t, canaries, w.Dir)
}

func TestAccCredentialsAreInNoLog(t *testing.T) {
	t.Parallel()
	api := acctest.SharedServer(t)
	proxy := api.Proxy(t)
	namespace := api.Namespace(t)
	token := write(t, "credential", fmt.Sprintf("#!/bin/sh\necho '{\"apiVersion\":\"client.authentication.k8s.io/v1\",\"kind\":\"ExecCredential\",\"status\":{\"token\":\"%s\"}}'\n", proxy.Token()))
	if err := os.Chmod(token, 0o700); err != nil { //nolint:gosec // a script has to be executable
		t.Fatal(err)
	}
	host, ca := fmt.Sprintf("host = %q", proxy.URL()), "cluster_ca_certificate = <<-PEM\n"+string(proxy.CA())+"  PEM"
	environment := acctest.Canary("environment")
	const variable = "variable \"credential\" {\n  type = string\n  sensitive = true\n}\n"
	for name, test := range map[string]struct {
		block string
		value string
	}{
		"a token":      {acctest.ProviderBlock(host, ca, "token = var.credential"), proxy.Token()},
		"a kubeconfig": {acctest.ProviderBlock("kubeconfig = var.credential"), proxy.KubeconfigText()},
		"a plugin":     {acctest.ProviderBlock(host, ca, fmt.Sprintf("exec {\n    api_version = \"client.authentication.k8s.io/v1\"\n    command = %q\n    env = { SECRET = var.credential }\n  }", token)), environment},
	} {
		t.Run(name, func(t *testing.T) {
			w := cli.New(t, variable+test.block+manifest("x", widget(namespace, "w", "{replicas: 1}")))
			w.Trace = true
			w.Env = []string{"TF_VAR_credential=" + test.value}
			w.Apply(t)
			unchanged(t, w)
			w.Destroy(t)
			acctest.NoCanary(t, []string{proxy.Token(), environment}, w.Dir)
		})
	}
}
