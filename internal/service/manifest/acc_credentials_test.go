package manifest_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/k0smos/terraform-provider-k0smos/internal/acctest"
	"github.com/k0smos/terraform-provider-k0smos/internal/acctest/cli"
)

// write puts a file into a folder of the test's own and returns its path.
func write(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestAccCredentialsThatCannotBeUsedSayWhy(t *testing.T) {
	t.Parallel()
	api := acctest.SharedServer(t)
	proxy := api.Proxy(t)
	good := proxy.KubeconfigText()
	canary := acctest.Canary("kubeconfig")
	two := strings.Replace(good, "contexts:\n", "contexts:\n- name: second\n  context: {cluster: faultproxy, user: faultproxy}\n", 1)
	garbage := write(t, "garbage", "#!/bin/sh\necho "+canary+"\n")
	failing := write(t, "failing", "#!/bin/sh\necho "+canary+" >&2\nexit 3\n")
	for _, script := range []string{garbage, failing} {
		if err := os.Chmod(script, 0o700); err != nil { //nolint:gosec // a script has to be executable
			t.Fatal(err)
		}
	}
	exec := func(command string) string {
		return acctest.ProviderBlock(fmt.Sprintf("host = %q", proxy.URL()), "cluster_ca_certificate = <<-PEM\n"+string(proxy.CA())+"  PEM",
			fmt.Sprintf("exec {\n    api_version = \"client.authentication.k8s.io/v1\"\n    command = %q\n  }", command))
	}
	file := func(content string, more ...string) string {
		return acctest.ProviderBlock(append([]string{fmt.Sprintf("config_path = %q", write(t, "kubeconfig", content))}, more...)...)
	}
	tests := map[string]struct {
		block string
		says  []string
	}{
		"nothing is set":                           {acctest.ProviderBlock(), []string{"no management cluster configured", "config_path", "KUBE_CONFIG_PATH"}},
		"the current context is missing":           {file(strings.Replace(good, "current-context: faultproxy", "current-context: gone", 1)), []string{"gone", "context"}},
		"no context is current":                    {file(strings.Replace(two, "current-context: faultproxy\n", "", 1)), []string{"current", "config_context", "second"}},
		"config_context is not there":              {file(two, `config_context = "third"`), []string{"third", "faultproxy", "second"}},
		"the file does not exist":                  {acctest.ProviderBlock(`config_path = "/no/such/kubeconfig"`), []string{"/no/such/kubeconfig"}},
		"the file is no kubeconfig":                {file("a: b: [" + canary), []string{"kubeconfig"}},
		"the content is no kubeconfig":             {acctest.ProviderBlock(fmt.Sprintf("kubeconfig = %q", "{"+canary)), []string{"kubeconfig"}},
		"the plugin prints garbage":                {exec(garbage), []string{garbage}},
		"the plugin fails":                         {exec(failing), []string{failing}},
		"the plugin does not exist":                {exec("/no/such/plugin"), []string{"/no/such/plugin"}},
		"the token is not valid":                   {file(strings.Replace(good, proxy.Token(), canary, 1)), []string{"401"}},
		"the token file does not exist":            {acctest.ProviderBlock(fmt.Sprintf("host = %q", proxy.URL()), `insecure = true`, `token_path = "/no/such/token"`), []string{"/no/such/token"}},
		"the certificate is not of this authority": {acctest.ProviderBlock(fmt.Sprintf("host = %q", proxy.URL()), fmt.Sprintf("token = %q", canary)), []string{"certificate"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := cli.New(t, test.block+manifest("x", widget("default", "w", "{}")))
			result := w.TryApply(t)
			result.Failed(t, test.says...)
			if strings.Contains(result.Output, canary) {
				t.Errorf("the output shows what it should not:\n%s", result.Output)
			}
			if len(w.State(t)) != 0 {
				t.Error("there is something in the state")
			}
		})
	}
}

func TestAccCredentialsComeFromWhereTheUserPutThem(t *testing.T) {
	t.Parallel()
	api := acctest.SharedServer(t)
	proxy := api.Proxy(t)
	good := proxy.KubeconfigText()
	// One file has the cluster and the context, another one the user.
	cluster, user := good[:strings.Index(good, "users:")], "apiVersion: v1\nkind: Config\n"+good[strings.Index(good, "users:"):]
	clusterFile, userFile := write(t, "cluster", cluster), write(t, "user", user)
	wrong := write(t, "wrong", strings.ReplaceAll(good, proxy.URL(), "https://127.0.0.1:1"))
	token := write(t, "credential", fmt.Sprintf("#!/bin/sh\necho '{\"apiVersion\":\"client.authentication.k8s.io/v1\",\"kind\":\"ExecCredential\",\"status\":{\"token\":\"%s\"}}'\n", proxy.Token()))
	if err := os.Chmod(token, 0o700); err != nil { //nolint:gosec // a script has to be executable
		t.Fatal(err)
	}
	host, ca := fmt.Sprintf("host = %q", proxy.URL()), "cluster_ca_certificate = <<-PEM\n"+string(proxy.CA())+"  PEM"
	list := string(os.PathListSeparator)
	tests := map[string]struct {
		block string
		env   []string
	}{
		"KUBE_CONFIG_PATH":                             {acctest.ProviderBlock(), []string{"KUBE_CONFIG_PATH=" + proxy.Kubeconfig()}},
		"KUBE_CONFIG_PATHS with several files":         {acctest.ProviderBlock(), []string{"KUBE_CONFIG_PATHS=" + clusterFile + list + userFile}},
		"config_paths with several files":              {acctest.ProviderBlock(fmt.Sprintf("config_paths = [%q, %q]", clusterFile, userFile)), nil},
		"arguments before the environment":             {acctest.ProviderBlock(fmt.Sprintf("config_path = %q", proxy.Kubeconfig())), []string{"KUBE_CONFIG_PATH=" + wrong}},
		"kubeconfig as text":                           {acctest.ProviderBlock("kubeconfig = <<-EOT\n" + good + "  EOT"), nil},
		"host and token":                               {acctest.ProviderBlock(host, ca, fmt.Sprintf("token = %q", proxy.Token())), nil},
		"host and token, certificate for another name": {acctest.ProviderBlock(host, ca, `tls_server_name = "localhost"`, fmt.Sprintf("token_path = %q", proxy.TokenFile())), nil},
		"a name whose first address is dead":           {acctest.ProviderBlock(strings.Replace(host, "127.0.0.1", "localhost", 1), ca, fmt.Sprintf("token = %q", proxy.Token())), nil},
		"a credential plugin":                          {acctest.ProviderBlock(host, ca, fmt.Sprintf("exec {\n    api_version = \"client.authentication.k8s.io/v1\"\n    command = %q\n  }", token)), nil},
		"never KUBECONFIG":                             {acctest.ProviderBlock(fmt.Sprintf("config_path = %q", proxy.Kubeconfig())), []string{"KUBECONFIG=" + wrong}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			namespace := api.Namespace(t)
			w := cli.New(t, test.block+manifest("x", widget(namespace, "w", "{replicas: 1}")))
			w.Env = test.env
			w.Apply(t)
			unchanged(t, w)
			api.Get(t, widgetKey(namespace, "w"))
		})
	}
	t.Run("KUBECONFIG and the default kubeconfig are not looked at", func(t *testing.T) {
		home := t.TempDir()
		if err := os.MkdirAll(filepath.Join(home, ".kube"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(home, ".kube", "config"), []byte(good), 0o600); err != nil {
			t.Fatal(err)
		}
		w := cli.New(t, acctest.ProviderBlock()+manifest("x", widget("default", "w", "{}")))
		w.Env = []string{"HOME=" + home, "KUBECONFIG=" + proxy.Kubeconfig()}
		w.TryApply(t).Failed(t, "no management cluster configured")
	})
}

func TestAccAHostedClustersSecretThatCannotBeUsedSaysWhy(t *testing.T) {
	t.Parallel()
	cluster := acctest.Cluster(t)
	canary := acctest.Canary("hosted")
	for name, test := range map[string]struct{ data, says string }{
		"a value that is no kubeconfig": {"value: " + encoded("{not: [a kubeconfig "+canary), "c-kubeconfig"},
		"no value":                      {"other: " + encoded(canary), "c-kubeconfig"},
		"a kubeconfig without clusters": {"value: " + encoded("{apiVersion: v1, kind: Config, preferences: {}}"), "c-kubeconfig"},
	} {
		t.Run(name, func(t *testing.T) {
			namespace := cluster.Namespace(t)
			cluster.ApplyAs(t, "acctest", fmt.Sprintf("apiVersion: v1\nkind: Secret\nmetadata: {name: c-kubeconfig, namespace: %s}\ndata: {%s}", namespace, test.data))
			w := cli.New(t, cluster.ProviderBlock()+manifest("x", widget("default", "w", "{}"),
				fmt.Sprintf("cluster = { name = \"c\", namespace = %q }", namespace), timeout("create", "5s")))
			w.Plan(t).Worked(t, "1 to add", test.says)
			result := w.TryApply(t)
			result.Failed(t, test.says)
			if strings.Contains(result.Output, canary) {
				t.Errorf("the output shows what it should not:\n%s", result.Output)
			}
		})
	}
}
