package controlplane

import (
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
)

// overridden are the keys of a ClusterConfig that k0smotron writes itself, whatever the user says.
var overridden = []string{"spec.api.port", "spec.api.externalAddress", "spec.konnectivity.agentPort", "spec.storage"}

// attributed are the keys that attributes of this resource write.
var attributed = []struct{ key, attribute string }{
	{"spec.network.provider", "network.provider"}, {"spec.network.podCIDR", "network.pod_cidr"}, {"spec.network.serviceCIDR", "network.service_cidr"},
	{"spec.network.clusterDomain", "network.cluster_domain"}, {"spec.extensions.helm", "helm"},
}

// objects are the keys into which attributes write.
var objects = []string{"spec", "spec.network", "spec.extensions"}

func k0sConfigFree(m Model) []composite.Finding {
	at := path.Root("k0s_config")
	source := m.K0sConfig.ValueString()
	if source == "" {
		return nil
	}
	config, ok := object(source)
	if !ok {
		return []composite.Finding{fault(at, "Not a JSON object", "k0s_config must be a JSON object, for example jsonencode({ spec = { telemetry = { enabled = true } } }).")}
	}
	var out []composite.Finding
	for _, key := range objects {
		if v, there := valueAt(config, key); there {
			if _, ok := v.(map[string]any); !ok {
				return []composite.Finding{fault(at, key+" is not an object", fmt.Sprintf("%s of k0s_config must be an object of settings, since attributes of this resource write into it too.", key))}
			}
		}
	}
	for _, key := range overridden {
		if _, there := valueAt(config, key); there {
			out = append(out, fault(at, key+" is k0smotron's", fmt.Sprintf("k0smotron overrides %s in the final configuration, so it has no effect here. Remove it; expose and storage say the same.", key)))
		}
	}
	for _, of := range attributed {
		if _, there := valueAt(config, of.key); there {
			out = append(out, fault(at, "Use the attribute for "+of.key, fmt.Sprintf("%s is set by %s. Write it there and remove it from k0s_config.", of.key, of.attribute)))
		}
	}
	if _, there := valueAt(config, "spec.network.kubeProxy.disabled"); there && effectiveOf(m).ciliumForSure(m) {
		out = append(out, fault(at, "kube-proxy is Cilium's", "network.provider = \"cilium\" replaces kube-proxy and disables it. Remove spec.network.kubeProxy.disabled from k0s_config, or use network.provider = \"custom\"."))
	}
	for _, of := range []struct{ key, want string }{{"apiVersion", k0sAPIVersion}, {"kind", k0sKind}} {
		if v, there := valueAt(config, of.key); there && v != of.want {
			out = append(out, fault(at, "Wrong "+of.key, fmt.Sprintf("%s must be %q, or be left out.", of.key, of.want)))
		}
	}
	return out
}

// valueAt finds a value in nested maps. A null is not there: it says nothing.
func valueAt(config map[string]any, dotted string) (any, bool) {
	var v any = config
	for _, step := range strings.Split(dotted, ".") {
		m, ok := v.(map[string]any)
		if !ok {
			return nil, false
		}
		v = m[step]
	}
	return v, v != nil
}
