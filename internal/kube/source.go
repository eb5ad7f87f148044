package kube

import (
	"cmp"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"k8s.io/client-go/rest"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// Source says how to reach the management cluster. The zero Source means that nothing was set, and the environment is looked at.
type Source struct {
	Kubeconfig  string   // content
	ConfigPaths []string // files, merged as kubectl merges the files of KUBECONFIG
	Context     string

	Host, Token, TokenPath, ClientCertificate, ClientKey, ClusterCA, ProxyURL, TLSServerName string
	Insecure                                                                                 bool
	Exec                                                                                     *Exec

	// Unknown names the provider arguments whose values are not known yet. With any, nothing is dialled.
	Unknown []string
}

// Exec is a credential plugin.
type Exec struct {
	APIVersion, Command string
	Args                []string
	Env                 map[string]string
}

// The environment variables that are read where no argument says otherwise. KUBECONFIG and ~/.kube/config are left alone on
// purpose: applying to whatever cluster a shell happens to point at is how people lose one.
const (
	envConfigPath  = "KUBE_CONFIG_PATH"
	envConfigPaths = "KUBE_CONFIG_PATHS"
)

// config resolves the source. All files are read here, so that two results can be compared.
func (s Source) config() (*rest.Config, error) {
	if len(s.Unknown) > 0 {
		names := slices.Sorted(slices.Values(s.Unknown))
		return nil, &Error{Reason: ReasonOffline, Message: fmt.Sprintf("the provider's %s %s not known yet, so no cluster can be asked. "+
			"This settles when the value is known, at the latest during apply", strings.Join(names, ", "), plural(len(names), "is", "are"))}
	}
	if why := s.contradiction(); why != "" {
		return nil, badConfig("the provider configuration", why)
	}
	cfg, where, err := s.base()
	if err != nil {
		return nil, err
	}
	if err := s.override(cfg); err != nil {
		return nil, err
	}
	if err := settle(cfg, where); err != nil {
		return nil, err
	}
	return cfg, nil
}

// contradiction says which arguments exclude each other, "" if none do.
func (s Source) contradiction() string {
	switch {
	case s.Kubeconfig != "" && len(s.ConfigPaths) > 0:
		return "kubeconfig and config_path(s) are both set; set one of them"
	case s.Token != "" && s.TokenPath != "":
		return "token and token_path are both set; set one of them"
	case s.Exec != nil && (s.Token != "" || s.TokenPath != ""):
		return "exec and a token are both set; set one of them"
	case s.Exec != nil && s.Exec.Command == "":
		return "exec has no command"
	case s.ClientCertificate != "" && s.ClientKey == "":
		return "client_certificate is set without client_key"
	case s.ClientKey != "" && s.ClientCertificate == "":
		return "client_key is set without client_certificate"
	case s.Insecure && s.ClusterCA != "":
		return "insecure and cluster_ca_certificate are both set; with a CA certificate the server is verified, so leave insecure out"
	case s.Kubeconfig == "" && len(s.ConfigPaths) == 0 && s.Host == "":
		if name := s.needsHost(); name != "" {
			return name + " is set, but neither host nor kubeconfig nor config_path is; set one of them (the environment is not used beside explicit arguments)"
		}
	case s.Kubeconfig == "" && len(s.ConfigPaths) == 0 && s.Context != "":
		return "config_context is set together with host, but without a kubeconfig that could have a context of this name"
	}
	return ""
}

// needsHost names the first argument that means nothing without an explicit cluster.
func (s Source) needsHost() string {
	switch {
	case s.Token != "":
		return "token"
	case s.TokenPath != "":
		return "token_path"
	case s.ClientCertificate != "":
		return "client_certificate"
	case s.ClusterCA != "":
		return "cluster_ca_certificate"
	case s.Exec != nil:
		return "exec"
	}
	return ""
}

// base is the configuration before single arguments override parts of it, and where it is from.
func (s Source) base() (*rest.Config, string, error) {
	if s.Kubeconfig != "" {
		const where = "the provider's kubeconfig"
		raw, err := parseKubeconfig([]byte(s.Kubeconfig), where)
		if err != nil {
			return nil, where, err
		}
		cfg, err := contextConfig(raw, s.Context, where)
		return cfg, where, err
	}
	if len(s.ConfigPaths) > 0 {
		return fileConfig(s.ConfigPaths, s.Context, "config_path")
	}
	if s.Host != "" {
		return &rest.Config{}, "the provider configuration", nil
	}
	if path := os.Getenv(envConfigPath); path != "" {
		return fileConfig([]string{path}, s.Context, envConfigPath)
	}
	if paths := filepath.SplitList(os.Getenv(envConfigPaths)); len(paths) > 0 {
		return fileConfig(paths, s.Context, envConfigPaths)
	}
	if os.Getenv("KUBERNETES_SERVICE_HOST") != "" {
		const where = "the in-cluster configuration"
		if s.Context != "" {
			return nil, where, badConfig(where, "config_context is set, but there is no kubeconfig that could have a context of this name")
		}
		cfg, err := rest.InClusterConfig()
		if err != nil {
			return nil, where, &Error{Reason: ReasonOffline, Message: "KUBERNETES_SERVICE_HOST says that this runs in a pod, but its service account " +
				"cannot be used: " + err.Error() + ". Mount a service account token, or set kubeconfig, config_path or host"}
		}
		return cfg, where, nil
	}
	return nil, "", &Error{Reason: ReasonOffline, Message: "no management cluster configured. Set kubeconfig, config_path or host in the provider block, " +
		"or the environment variable KUBE_CONFIG_PATH (KUBECONFIG and ~/.kube/config are not used by themselves)"}
}

// override puts the explicit arguments over cfg. Explicit credentials replace all others.
func (s Source) override(cfg *rest.Config) error {
	if s.Host != "" {
		cfg.Host = s.Host
	}
	if s.Token != "" || s.TokenPath != "" || s.ClientCertificate != "" || s.Exec != nil {
		cfg.Username, cfg.Password, cfg.BearerToken, cfg.BearerTokenFile = "", "", "", ""
		cfg.CertFile, cfg.KeyFile, cfg.CertData, cfg.KeyData = "", "", nil, nil
		cfg.ExecProvider, cfg.AuthProvider = nil, nil
		cfg.BearerToken, cfg.BearerTokenFile = s.Token, expand(s.TokenPath)
		cfg.CertData, cfg.KeyData = []byte(s.ClientCertificate), []byte(s.ClientKey)
		cfg.ExecProvider = s.Exec.provider()
	}
	if s.ClusterCA != "" {
		cfg.CAFile, cfg.CAData, cfg.Insecure = "", []byte(s.ClusterCA), false
	}
	if s.Insecure {
		cfg.CAFile, cfg.CAData, cfg.Insecure = "", nil, true
	}
	cfg.ServerName = cmp.Or(s.TLSServerName, cfg.ServerName)
	if s.ProxyURL != "" {
		u, why := parseProxy(s.ProxyURL)
		if why != "" {
			return badConfig("the provider configuration", "proxy_url "+why)
		}
		cfg.Proxy = http.ProxyURL(u)
	}
	return nil
}

func (e *Exec) provider() *clientcmdapi.ExecConfig {
	if e == nil {
		return nil
	}
	p := &clientcmdapi.ExecConfig{
		APIVersion: cmp.Or(e.APIVersion, "client.authentication.k8s.io/v1"), Command: expand(e.Command), Args: e.Args,
		InteractiveMode: clientcmdapi.NeverExecInteractiveMode,
	}
	for name, value := range e.Env {
		p.Env = append(p.Env, clientcmdapi.ExecEnvVar{Name: name, Value: value})
	}
	slices.SortFunc(p.Env, func(a, b clientcmdapi.ExecEnvVar) int { return cmp.Compare(a.Name, b.Name) })
	return p
}

// expand replaces a leading ~ by the home directory, since nobody does it for values in a provider block.
func expand(path string) string {
	rest, ok := strings.CutPrefix(path, "~/")
	if !ok {
		return path
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return path
	}
	return filepath.Join(home, rest)
}

func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}
