package kube

import (
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

func badConfig(where, why string) error {
	return &Error{Reason: ReasonBadKubeconfig, Message: where + " cannot be used: " + why}
}

var lineNumber = regexp.MustCompile(`line (\d+)`)

// parseKubeconfig reads a kubeconfig. The parser's own words quote what they stumble over, so only the line is passed on.
func parseKubeconfig(content []byte, where string) (*clientcmdapi.Config, error) {
	raw, err := clientcmd.Load(content)
	if err != nil {
		at := ""
		if m := lineNumber.FindStringSubmatch(err.Error()); m != nil {
			at = " (line " + m[1] + ")"
		}
		return nil, badConfig(where, "it is not a kubeconfig in YAML or JSON"+at+"; its content is not shown here because it may hold secrets")
	}
	return raw, nil
}

// fileConfig merges files and picks the context; origin is the argument or variable that named the files.
func fileConfig(paths []string, context, origin string) (*rest.Config, string, error) {
	var files []string
	for _, path := range paths {
		if path == "" {
			continue
		}
		path = expand(path)
		where := "the kubeconfig " + path + " (from " + origin + ")"
		content, err := os.ReadFile(path)
		if err != nil {
			return nil, where, badConfig(where, "it cannot be read: "+err.Error())
		}
		if _, err := parseKubeconfig(content, where); err != nil {
			return nil, where, err
		}
		files = append(files, path)
	}
	where := fmt.Sprintf("the kubeconfig %s (from %s)", strings.Join(files, string(filepath.ListSeparator)), origin)
	if len(files) == 0 {
		return nil, where, badConfig("the kubeconfig of "+origin, "the path is empty")
	}
	rules := clientcmd.ClientConfigLoadingRules{Precedence: files} // also resolves relative paths inside of the files
	raw, err := rules.Load()
	if err != nil {
		return nil, where, badConfig(where, "the files cannot be merged")
	}
	cfg, err := contextConfig(raw, context, where)
	return cfg, where, err
}

// contextConfig is the configuration of one context of raw: the one that is asked for, else the current one.
func contextConfig(raw *clientcmdapi.Config, context, where string) (*rest.Config, error) {
	known := slices.Sorted(maps.Keys(raw.Contexts))
	list := "it has no contexts at all"
	if len(known) > 0 {
		list = "it has: " + strings.Join(known, ", ")
	}
	name := context
	switch {
	case context != "":
		if raw.Contexts[context] == nil {
			return nil, badConfig(where, fmt.Sprintf("config_context %q is not in it; %s", context, list))
		}
	case raw.CurrentContext == "":
		return nil, badConfig(where, "it names no current context; set config_context ("+list+")")
	case raw.Contexts[raw.CurrentContext] == nil:
		return nil, badConfig(where, fmt.Sprintf("its current context %q is not in it; set config_context (%s)", raw.CurrentContext, list))
	default:
		name = raw.CurrentContext
	}
	c := raw.Contexts[name]
	cluster := raw.Clusters[c.Cluster]
	switch {
	case cluster == nil:
		return nil, badConfig(where, fmt.Sprintf("context %q names cluster %q, which is not in it", name, c.Cluster))
	case cluster.Server == "":
		return nil, badConfig(where, fmt.Sprintf("cluster %q has no server address", c.Cluster))
	case c.AuthInfo != "" && raw.AuthInfos[c.AuthInfo] == nil:
		return nil, badConfig(where, fmt.Sprintf("context %q names user %q, which is not in it", name, c.AuthInfo))
	}
	if cluster.ProxyURL != "" {
		if _, why := parseProxy(cluster.ProxyURL); why != "" {
			return nil, badConfig(where, fmt.Sprintf("the proxy-url of cluster %q %s", c.Cluster, why))
		}
	}
	cfg, err := clientcmd.NewNonInteractiveClientConfig(*raw, name, nil, nil).ClientConfig()
	if err != nil {
		return nil, badConfig(where, fmt.Sprintf("context %q: %v", name, err))
	}
	return cfg, nil
}

// parseProxy reads a proxy's address, or says what is wrong with it without repeating it: it may hold a password.
func parseProxy(raw string) (*url.URL, string) {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" {
		return nil, "is not a URL like https://proxy.example:3128"
	}
	switch u.Scheme {
	case "http", "https", "socks5":
		return u, ""
	}
	return nil, "must start with http://, https:// or socks5://"
}
