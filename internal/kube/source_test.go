package kube

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/client-go/rest"
)

// canary must never be seen in an error.
const canary = "canary-7f3a-secret"

func kubeconfigFor(server, ca, user string) string {
	return fmt.Sprintf(`apiVersion: v1
kind: Config
current-context: here
clusters: [{name: c, cluster: {server: %q, certificate-authority-data: %s}}]
contexts: [{name: here, context: {cluster: c, user: u}}, {name: there, context: {cluster: c, user: u}}]
users: [{name: u, user: {%s}}]
`, server, base64Of(ca), user)
}

func write(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// bare takes every variable away that could lead to a cluster.
func bare(t *testing.T) {
	t.Helper()
	for _, name := range []string{envConfigPath, envConfigPaths, "KUBECONFIG", "KUBERNETES_SERVICE_HOST", "KUBERNETES_SERVICE_PORT", "KUBERNETES_MASTER"} {
		t.Setenv(name, "")
	}
	t.Setenv("HOME", t.TempDir())
}

func simple(server, token string) string {
	return fmt.Sprintf(`{apiVersion: v1, kind: Config, current-context: x, contexts: [{name: x, context: {cluster: x, user: x}}],
 clusters: [{name: x, cluster: {server: %q}}], users: [{name: x, user: {token: %q}}]}`, server, token)
}

func TestSourceNeverFallsBackToTheDefaultKubeconfig(t *testing.T) {
	bare(t)
	file := write(t, "config", simple("https://shell.example", canary))
	t.Setenv("KUBECONFIG", file)
	home := os.Getenv("HOME")
	if err := os.MkdirAll(filepath.Join(home, ".kube"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(home, ".kube", "config"), []byte(simple("https://home.example", canary)), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := NewPool(Source{}, Options{}).Management().Get(t.Context(), queueKey("a"))
	e := errorOf(t, err, ReasonOffline)
	wantText(t, e, "no management cluster configured", "config_path", "KUBE_CONFIG_PATH", "Queue.scheduling.run.ai/v2 a")
}

func TestSourcePrefersArgumentsOverEnvironment(t *testing.T) {
	tests := map[string]struct {
		source   Source
		env      map[string]string
		host     string
		token    string
		contains string // of the error
	}{
		"environment path": {env: map[string]string{envConfigPath: "env"}, host: "https://env.example", token: "env-token"},
		"environment path with an argument for the context":  {source: Source{Context: "nowhere"}, env: map[string]string{envConfigPath: "env"}, contains: `"nowhere" is not in it; it has: x`},
		"argument path beats environment":                    {source: Source{ConfigPaths: []string{"arg"}}, env: map[string]string{envConfigPath: "env"}, host: "https://arg.example", token: "arg-token"},
		"content beats environment":                          {source: Source{Kubeconfig: simple("https://content.example", "t")}, env: map[string]string{envConfigPath: "env"}, host: "https://content.example", token: "t"},
		"host alone takes no credentials of the environment": {source: Source{Host: "https://host.example"}, env: map[string]string{envConfigPath: "env"}, host: "https://host.example"},
		"token without a host is an error":                   {source: Source{Token: canary}, env: map[string]string{envConfigPath: "env"}, contains: "token is set, but neither host"},
		"host and token override parts of a file":            {source: Source{ConfigPaths: []string{"arg"}, Host: "https://other.example:6443/", Token: "mine"}, host: "https://other.example:6443", token: "mine"},
		"a host without scheme is https":                     {source: Source{Host: "10.0.0.1:6443"}, host: "https://10.0.0.1:6443"},
		"a host keeps its path":                              {source: Source{Host: "https://rancher.example/k8s/clusters/c-1/"}, host: "https://rancher.example/k8s/clusters/c-1"},
		"a host with a password is refused":                  {source: Source{Host: "https://admin:" + canary + "@h.example"}, contains: "user name or password"},
		"a host that is no URL is refused":                   {source: Source{Host: "https://" + canary + ":x y"}, contains: "not a URL"},
		"two tokens exclude each other":                      {source: Source{Host: "https://h", Token: canary, TokenPath: "x"}, contains: "token and token_path"},
		"two kubeconfigs exclude each other":                 {source: Source{Kubeconfig: canary, ConfigPaths: []string{"arg"}}, contains: "kubeconfig and config_path"},
		"a certificate needs its key":                        {source: Source{Host: "https://h", ClientCertificate: canary}, contains: "without client_key"},
		"a broken key pair is not shown":                     {source: Source{Host: "https://h", ClientCertificate: canary, ClientKey: canary}, contains: "not a usable pair"},
		"a broken CA is not shown":                           {source: Source{Host: "https://h", ClusterCA: canary}, contains: "no certificate in PEM form"},
		"insecure and CA exclude each other":                 {source: Source{Host: "https://h", ClusterCA: "x", Insecure: true}, contains: "insecure and cluster_ca"},
		"a broken proxy is not shown":                        {source: Source{Host: "https://h", ProxyURL: "http://u:" + canary + "@ bad"}, contains: "proxy_url is not a URL"},
		"a proxy of an unknown sort":                         {source: Source{Host: "https://h", ProxyURL: "ftp://u:" + canary + "@p"}, contains: "proxy_url must start with"},
		"unknown arguments dial nothing":                     {source: Source{Host: "https://h", Unknown: []string{"token", "cluster_ca_certificate"}}, contains: "cluster_ca_certificate, token are not known yet"},
		"a missing token file":                               {source: Source{Host: "https://h", TokenPath: "/does/not/exist"}, contains: "token file cannot be read"},
		"a missing file is named":                            {source: Source{ConfigPaths: []string{"/does/not/exist"}}, contains: "the kubeconfig /does/not/exist (from config_path) cannot be used"},
		"a token of two lines":                               {source: Source{Host: "https://h", Token: canary + "\n" + canary}, contains: "control characters"},
		"a token with a line end is trimmed":                 {source: Source{Host: "https://h", Token: "abc\n"}, host: "https://h", token: "abc"},
		"in a pod whose service account is missing":          {env: map[string]string{"KUBERNETES_SERVICE_HOST": "10.0.0.1", "KUBERNETES_SERVICE_PORT": "443"}, contains: "service account"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			bare(t)
			files := map[string]string{
				"env": write(t, "env", simple("https://env.example", "env-token")),
				"arg": write(t, "arg", simple("https://arg.example", "arg-token")),
			}
			for name, value := range test.env {
				if path := files[value]; path != "" {
					value = path
				}
				t.Setenv(name, value)
			}
			for i, path := range test.source.ConfigPaths {
				if file := files[path]; file != "" {
					test.source.ConfigPaths[i] = file
				}
			}
			cfg, err := test.source.config()
			if test.contains != "" {
				if err == nil {
					t.Fatal("no error")
				}
				wantText(t, err, test.contains)
				noCanary(t, err)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if cfg.Host != test.host || cfg.BearerToken != test.token {
				t.Errorf("host %q token %q, want %q %q", cfg.Host, cfg.BearerToken, test.host, test.token)
			}
		})
	}
}

func TestSourceMergesTheFilesOfKubeConfigPaths(t *testing.T) {
	bare(t)
	users := write(t, "users", `{apiVersion: v1, kind: Config, users: [{name: u, user: {token: from-the-first}}]}`)
	dir := t.TempDir()
	f := newFakeAPI(t)
	if err := os.WriteFile(filepath.Join(dir, "ca.crt"), []byte(f.ca()), 0o600); err != nil {
		t.Fatal(err)
	}
	clusters := filepath.Join(dir, "clusters")
	content := `{apiVersion: v1, kind: Config, current-context: k, contexts: [{name: k, context: {cluster: c, user: u}}],
 clusters: [{name: c, cluster: {server: "` + f.server.URL + `", certificate-authority: ca.crt}}], users: [{name: u, user: {token: from-the-second}}]}`
	if err := os.WriteFile(clusters, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv(envConfigPaths, users+string(filepath.ListSeparator)+clusters)
	f.tokens = map[string]bool{"from-the-first": true} // the first file wins, as with kubectl
	if _, err := quickPool(Source{}).Management().Pin(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func TestKubeconfigProblemsAreNamed(t *testing.T) {
	const rest = `clusters: [{name: c, cluster: {server: "https://s"}}], users: [{name: u, user: {token: ` + canary + `}}]`
	tests := map[string]struct {
		kubeconfig, context, contains string
	}{
		"no current context":               {`{contexts: [{name: b, context: {cluster: c, user: u}}, {name: a, context: {cluster: c, user: u}}], ` + rest + `}`, "", "names no current context; set config_context (it has: a, b)"},
		"a current context that is gone":   {`{current-context: gone, contexts: [{name: a, context: {cluster: c, user: u}}], ` + rest + `}`, "", `current context "gone" is not in it`},
		"an unknown config_context of two": {`{current-context: a, contexts: [{name: b, context: {cluster: c, user: u}}, {name: a, context: {cluster: c, user: u}}], ` + rest + `}`, "prod", `config_context "prod" is not in it; it has: a, b`},
		"no contexts at all":               {`{` + rest + `}`, "", "no contexts at all"},
		"a missing cluster":                {`{current-context: a, contexts: [{name: a, context: {cluster: zz, user: u}}], ` + rest + `}`, "", `names cluster "zz", which is not in it`},
		"a missing user":                   {`{current-context: a, contexts: [{name: a, context: {cluster: c, user: zz}}], ` + rest + `}`, "", `names user "zz", which is not in it`},
		"a cluster without a server":       {`{current-context: a, contexts: [{name: a, context: {cluster: c}}], clusters: [{name: c, cluster: {}}]}`, "", "has no server address"},
		"a proxy with a password":          {`{current-context: a, contexts: [{name: a, context: {cluster: c}}], clusters: [{name: c, cluster: {server: "https://s", proxy-url: "x://u:` + canary + `@p"}}]}`, "", "the proxy-url of cluster"},
		"not YAML":                         {"a: b\n\tc: " + canary, "", "not a kubeconfig in YAML or JSON (line 2)"},
		"a plain word":                     {canary, "", "not a kubeconfig"},
		"a list where a map belongs":       {`{current-context: [` + canary + `]}`, "", "not a kubeconfig"},
		"base64 of a kubeconfig":           {base64Of(simple("https://x", canary)), "", "not a kubeconfig"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			bare(t)
			_, err := Source{Kubeconfig: test.kubeconfig, Context: test.context}.config()
			e := errorOf(t, err, ReasonBadKubeconfig)
			wantText(t, e, "the provider's kubeconfig", test.contains)
			noCanary(t, e)
		})
	}
}

func TestExecPluginProblemsNameTheCommandAndHideTheOutput(t *testing.T) {
	script := func(t *testing.T, body string) string {
		path := write(t, "plugin", "#!/bin/sh\n"+body+"\n")
		if err := os.Chmod(path, 0o700); err != nil {
			t.Fatal(err)
		}
		return path
	}
	tests := map[string]struct{ body, contains string }{
		"garbage":              {"echo x >> \"$0.runs\"; echo " + canary, "did not print an ExecCredential"},
		"JSON of another sort": {`echo '{"token":"` + canary + `"}'`, "ExecCredential of the API version"},
		"a failure":            {"echo " + canary + "; exit 3", "failed with exit code 3"},
		"another version":      {`echo '{"apiVersion":"client.authentication.k8s.io/v1beta1","kind":"ExecCredential","status":{"token":"` + canary + `"}}'`, "ExecCredential of the API version"},
		"no credentials":       {`echo '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{}}'`, "without usable credentials"},
		"half a certificate":   {`echo '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"clientKeyData":"` + canary + `"}}'`, "without usable credentials"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			f := newFakeAPI(t)
			path := script(t, test.body)
			s := f.source()
			s.Token, s.Exec = "", &Exec{Command: path, Env: map[string]string{"X": canary}}
			_, err := quickPool(s).Management().Get(t.Context(), queueKey("a"))
			e := errorOf(t, err, ReasonUnauthorized)
			wantText(t, e, path, test.contains)
			noCanary(t, e)
			if runs, err := os.ReadFile(path + ".runs"); err == nil && string(runs) != "x\n" {
				t.Errorf("it was run %d times for one request", len(runs)/2)
			}
		})
	}
	t.Run("a plugin that is not installed", func(t *testing.T) {
		f := newFakeAPI(t)
		s := f.source()
		s.Token, s.Exec = "", &Exec{Command: "no-such-plugin"}
		_, err := quickPool(s).Management().Get(t.Context(), queueKey("a"))
		wantText(t, errorOf(t, err, ReasonUnauthorized), "no-such-plugin was not found")
	})
	t.Run("a plugin that works is run again after a 401", func(t *testing.T) {
		f := newFakeAPI(t)
		f.tokens = map[string]bool{"fresh": true}
		used := filepath.Join(t.TempDir(), "used")
		path := script(t, `t=stale; [ -e `+used+` ] && t=fresh; touch `+used+`
echo '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"'$t'"}}'`)
		s := f.source()
		s.Token, s.Exec = "", &Exec{Command: path}
		if _, err := quickPool(s).Management().Pin(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
	t.Run("a plugin that hangs does not outlive the context", func(t *testing.T) {
		f := newFakeAPI(t)
		started := filepath.Join(t.TempDir(), "started")
		path := script(t, "mkfifo "+started+"; read x < "+started)
		s := f.source()
		s.Token, s.Exec = "", &Exec{Command: path}
		ctx, cancel := contextWithTimeout(t, 50)
		defer cancel()
		_, err := quickPool(s).Management().Get(ctx, queueKey("a"))
		wantReason(t, err, ReasonTimeout)
		_ = os.WriteFile(started, []byte("x\n"), 0o600) // lets the plugin end
	})
}

func TestTokenFileIsReadAgainInTheMiddleOfARun(t *testing.T) {
	f := newFakeAPI(t)
	f.put(queuePath("a"), queue("a", nil))
	file := write(t, "token", "first\n")
	s := f.source()
	s.Token, s.TokenPath = "", file
	c := quickPool(s).Management()
	f.tokens = map[string]bool{"first": true}
	if _, err := c.Get(t.Context(), queueKey("a")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("second"), 0o600); err != nil {
		t.Fatal(err)
	}
	f.mu.Lock()
	f.tokens = map[string]bool{"second": true}
	f.mu.Unlock()
	if _, _, err := c.Apply(t.Context(), queueKey("a"), queue("a", nil), ApplyOptions{Manager: "m"}); err != nil {
		t.Fatal(err)
	}
	f.mu.Lock()
	f.tokens = map[string]bool{"third": true}
	f.log = nil
	f.mu.Unlock()
	_, err := c.Get(t.Context(), queueKey("a"))
	wantText(t, errorOf(t, err, ReasonUnauthorized), "credentials are not accepted")
	if n := f.requests("GET"); n != 1 {
		t.Errorf("%d requests with credentials that had not changed, want 1", n)
	}
}

func TestCredentialsNeverFollowARedirect(t *testing.T) {
	var stolen []string
	thief := newFakeAPI(t)
	thief.intercept(func(_ http.ResponseWriter, r *http.Request) bool {
		stolen = append(stolen, r.Header.Get("Authorization"))
		return false
	})
	f := newFakeAPI(t)
	f.intercept(func(w http.ResponseWriter, r *http.Request) bool {
		http.Redirect(w, r, thief.server.URL+r.URL.Path, http.StatusFound)
		return true
	})
	_, err := f.cluster().Get(t.Context(), queueKey("a"))
	wantText(t, errorOf(t, err, ReasonOffline), "redirects")
	if len(stolen) > 0 {
		t.Errorf("the other server was asked, with %q", stolen)
	}
}

func TestRESTConfigHoldsContentInsteadOfFileNames(t *testing.T) {
	f := newFakeAPI(t)
	s := f.source()
	s.Token, s.TokenPath = "", write(t, "token", "abc")
	cfg, err := quickPool(s).Management().RESTConfig(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if cfg.BearerToken != "abc" || cfg.BearerTokenFile != "" || string(cfg.CAData) == "" || cfg.Host != f.server.URL {
		t.Errorf("host %q, token file %q", cfg.Host, cfg.BearerTokenFile)
	}
	if _, err := rest.HTTPClientFor(cfg); err != nil {
		t.Error(err)
	}
}

func noCanary(t *testing.T, err error) {
	t.Helper()
	for ; err != nil; err = unwrap(err) {
		if strings.Contains(err.Error(), canary) || strings.Contains(fmt.Sprintf("%+v", err), canary) {
			t.Errorf("a secret is in the error: %+v", err)
		}
	}
}
