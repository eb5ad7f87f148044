package controlplane

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"pgregory.net/rapid"

	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
	"github.com/k0smos/terraform-provider-k0smos/internal/composite/compositetest"
)

// plain is a configuration that nothing is wrong with. Cases add to it, or say an attribute anew.
var plain = map[string]string{
	"name": "train", "namespace": "train", "version": "v1.35.7+k0s.0", "expose": "{}", "storage": "{etcd: {auto_delete: true}}",
}

// with is the plain configuration with other lines of YAML.
func with(lines string) string {
	said := map[string]bool{}
	for line := range strings.Lines(lines) {
		if name, _, ok := strings.Cut(line, ":"); ok && !strings.HasPrefix(line, " ") {
			said[name] = true
		}
	}
	out := lines
	for name, value := range plain {
		if !said[name] {
			out += "\n" + name + ": " + value
		}
	}
	return out
}

// summaries words findings as path: summary, warnings marked.
func summaries(findings []composite.Finding) []string {
	var out []string
	for _, f := range findings {
		mark := ""
		if f.Warning {
			mark = "warning: "
		}
		out = append(out, fmt.Sprintf("%s%s: %s", mark, f.Path, f.Summary))
		if f.Detail == "" || !strings.HasSuffix(f.Detail, ".") {
			out = append(out, fmt.Sprintf("%s says %q, which is no sentence", f.Path, f.Detail))
		}
	}
	return out
}

func checked(m Model) []string {
	var out []string
	for _, check := range checks {
		out = append(out, summaries(check(m))...)
	}
	return out
}

func TestAConfigurationIsCheckedBeforeAnythingIsAsked(t *testing.T) {
	tests := map[string]struct {
		config string
		want   []string
	}{
		"a plain configuration is fine": {"", nil},

		// addressGiven
		"a load balancer brings an address":            {`expose: {type: LoadBalancer}`, nil},
		"node ports need an external address":          {`expose: {type: NodePort}`, []string{`expose.external_address: Missing external_address`}},
		"a cluster IP needs an external address":       {`expose: {type: ClusterIP}`, []string{`expose.external_address: Missing external_address`}},
		"with an address both are fine":                {`expose: {type: ClusterIP, external_address: api.example.net}`, nil},
		"an ingress needs its hosts":                   {`expose: {type: Ingress}`, []string{`expose.ingress: Missing ingress`}},
		"with hosts an ingress is fine":                {`expose: {type: Ingress, ingress: {api_host: a.example.net, konnectivity_host: k.example.net}}`, nil},
		"hosts of an ingress mean nothing without one": {`expose: {ingress: {api_host: a.example.net, konnectivity_host: k.example.net}}`, []string{`expose.ingress: Unused ingress`}},

		// portsApart
		"two ports must differ":                   {`expose: {api_port: 8132}`, []string{`expose.konnectivity_port: Ports clash`}},
		"a default clashes as well":               {`expose: {type: NodePort, external_address: a, konnectivity_port: 30443}`, []string{`expose.konnectivity_port: Ports clash`}},
		"node ports have their range":             {`expose: {type: NodePort, external_address: a, api_port: 6443}`, []string{`warning: expose.api_port: Unusual node port`}},
		"even the well known ones are outside":    {`expose: {type: NodePort, external_address: a, api_port: 443, konnectivity_port: 40000}`, []string{`warning: expose.api_port: Unusual node port`, `warning: expose.konnectivity_port: Unusual node port`}},
		"other services take any port":            {`expose: {api_port: 443}`, nil},
		"the default node ports are in the range": {`expose: {type: NodePort, external_address: a}`, nil},

		// storageComplete
		"etcd must say what becomes of the data": {`storage: {}`, []string{`storage.etcd: Missing etcd`}},
		"kine must name its database":            {`storage: {type: kine}`, []string{`storage.kine: Missing kine`}},
		"kine with its database is fine":         {`storage: {type: kine, kine: {secret: database}}`, nil},
		"kine has no etcd":                       {`storage: {type: kine, kine: {secret: database}, etcd: {auto_delete: true}}`, []string{`storage.etcd: Unused etcd`}},
		"etcd has no kine":                       {`storage: {kine: {secret: database}, etcd: {auto_delete: true}}`, []string{`storage.kine: Unused kine`}},

		// evenMembers
		"an even number of etcd members is no safer": {`replicas: 4`, []string{`warning: replicas: Even number of members`}},
		"an odd number is fine":                      {`replicas: 3`, nil},
		"with kine any number is fine":               {"replicas: 2\nstorage: {type: kine, kine: {secret: database}}", nil},

		// networkSane
		"settings of Cilium mean nothing without it":       {`network: {provider: calico, cilium: {mtu: 1420}}`, []string{`network.cilium: Unused cilium`}},
		"pods and services must not share addresses":       {`network: {pod_cidr: 10.96.0.0/16}`, []string{`network.service_cidr: Address ranges overlap`}},
		"neighbouring ranges are fine":                     {`network: {pod_cidr: 10.112.0.0/16}`, nil},
		"values of Cilium are an object":                   {`network: {cilium: {values: "[1]"}}`, []string{`network.cilium.values: Not a JSON object`}},
		"encryption and MTU of Cilium have attributes":     {`network: {cilium: {values: '{"encryption":{},"MTU":1}'}}`, []string{`network.cilium.values: Use the attribute for encryption`, `network.cilium.values: Use the attribute for MTU`}},
		"any other value is fine, generated ones included": {`network: {cilium: {values: '{"tunnelProtocol":"geneve"}'}}`, nil},

		// tolerationsSane
		"a toleration of every value has none":     {`placement: {tolerations: {x: {key: a, operator: Exists, value: b}}}`, []string{`placement.tolerations["x"].value: Toleration with a value for every value`}},
		"a toleration of a value has a key":        {`placement: {tolerations: {x: {value: b}}}`, []string{`placement.tolerations["x"].key: Toleration of a value without a key`}},
		"tolerations of one taint or all are fine": {`placement: {tolerations: {x: {key: a}, y: {key: a, value: b}, z: {}, e: {key: a, operator: Equal}}}`, nil},

		// k0sConfigFree
		"k0s_config is an object":                        {`k0s_config: '"x"'`, []string{`k0s_config: Not a JSON object`}},
		"a null is no object":                            {`k0s_config: "null"`, []string{`k0s_config: Not a JSON object`}},
		"what attributes write into stays an object":     {`k0s_config: '{"spec":{"network":"calico"}}'`, []string{`k0s_config: spec.network is not an object`}},
		"k0smotron overrides four keys":                  {`k0s_config: '{"spec":{"api":{"port":1,"externalAddress":"a"},"konnectivity":{"agentPort":1},"storage":{}}}'`, []string{`k0s_config: spec.api.port is k0smotron's`, `k0s_config: spec.api.externalAddress is k0smotron's`, `k0s_config: spec.konnectivity.agentPort is k0smotron's`, `k0s_config: spec.storage is k0smotron's`}},
		"five keys have attributes":                      {`k0s_config: '{"spec":{"network":{"provider":"a","podCIDR":"b","serviceCIDR":"c","clusterDomain":"d"},"extensions":{"helm":{}}}}'`, []string{`k0s_config: Use the attribute for spec.network.provider`, `k0s_config: Use the attribute for spec.network.podCIDR`, `k0s_config: Use the attribute for spec.network.serviceCIDR`, `k0s_config: Use the attribute for spec.network.clusterDomain`, `k0s_config: Use the attribute for spec.extensions.helm`}},
		"Cilium replaces kube-proxy":                     {`k0s_config: '{"spec":{"network":{"kubeProxy":{"disabled":true}}}}'`, []string{`k0s_config: kube-proxy is Cilium's`}},
		"who brings a network may do without kube-proxy": {"network: {provider: custom}\nk0s_config: '{\"spec\":{\"network\":{\"kubeProxy\":{\"disabled\":true}}}}'", nil},
		"it is a ClusterConfig":                          {`k0s_config: '{"apiVersion":"v1","kind":"Config"}'`, []string{`k0s_config: Wrong apiVersion`, `k0s_config: Wrong kind`}},
		"a ClusterConfig by name is fine":                {`k0s_config: '{"apiVersion":"k0s.k0sproject.io/v1beta1","kind":"ClusterConfig","spec":{"api":{"sans":["a"]},"telemetry":{"enabled":true}}}'`, nil},
		"a null says nothing":                            {`k0s_config: '{"spec":{"storage":null,"network":{"provider":null}}}'`, nil},

		// chartsKnown
		"Cilium takes a k0s that can install charts":   {`version: v1.35.3+k0s.0`, []string{`version: k0s is too old for Helm charts`}},
		"the first that can is fine":                   {`version: 1.35.4`, nil},
		"without charts an older one is fine":          {"version: v1.34.3+k0s.0\nnetwork: {provider: kuberouter}", nil},
		"other charts take it as well":                 {"version: v1.34.3+k0s.0\nnetwork: {provider: kuberouter}\nhelm: {charts: {a: {chart: oci://b/c}}}", []string{`version: k0s is too old for Helm charts`}},
		"an ingress takes a k0s that works behind one": {"version: v1.34.0+k0s.0\nnetwork: {provider: kuberouter}\nexpose: {type: Ingress, ingress: {api_host: a.example.net, konnectivity_host: k.example.net}}", []string{`version: k0s is too old for an ingress`}},
		"a chart names a repository that is there":     {`helm: {charts: {a: {chart: nvidia/gpu-operator}}}`, []string{`helm.charts["a"].chart: Unknown repository`}},
		"a chart without a repository is nowhere":      {`helm: {charts: {a: {chart: gpu-operator}}}`, []string{`helm.charts["a"].chart: Unknown repository`}},
		"with its repository it is fine":               {`helm: {repositories: {nvidia: {url: "https://helm.ngc.nvidia.com/nvidia"}}, charts: {a: {chart: nvidia/gpu-operator}}}`, nil},
		"an OCI chart needs none":                      {`helm: {charts: {a: {chart: "oci://example.net/a"}}}`, nil},
		"the repository of Cilium is there for others": {`helm: {charts: {tetragon: {chart: cilium/tetragon}}}`, nil},
		"but not without Cilium":                       {"network: {provider: calico}\nhelm: {charts: {tetragon: {chart: cilium/tetragon}}}", []string{`helm.charts["tetragon"].chart: Unknown repository`}},
		"names of Cilium are taken":                    {`helm: {repositories: {cilium: {url: "https://example.net"}}, charts: {cilium: {chart: "oci://a/b"}}}`, []string{`helm.repositories["cilium"]: Reserved repository`, `helm.charts["cilium"]: Reserved release`}},
		"and free without it":                          {"network: {provider: custom}\nhelm: {repositories: {cilium: {url: \"https://example.net\"}}, charts: {cilium: {chart: cilium/cilium}}}", nil},
		"values of a chart are an object":              {`helm: {charts: {a: {chart: "oci://a/b", values: "3"}}}`, []string{`helm.charts["a"].values: Not a JSON object`}},
		"names of releases have at most 53 characters": {`helm: {charts: {` + strings.Repeat("a", 54) + `: {chart: "oci://a/b"}}}`, []string{`helm.charts["` + strings.Repeat("a", 54) + `"]: Name of the release is too long`}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := checked(compositetest.Model(t, Kind, with(test.config))); !slices.Equal(got, test.want) {
				t.Errorf("got  %q\nwant %q", got, test.want)
			}
		})
	}
}

// Whatever is not known yet may turn out right, so nothing may be said of it: a check that is silent about a
// configuration is silent about it with any part of it unknown.
func TestAnUnknownValueIsNeverWrong(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		m := anyModel(r)
		if found := errorsOf(checked(m)); len(found) > 0 {
			r.Fatalf("a configuration that should be fine: %q", found)
		}
		for _, hidden := range hide(r, m) {
			if found := errorsOf(checked(hidden)); len(found) > 0 {
				r.Fatalf("with a part unknown: %q", found)
			}
			derive(&hidden, nil)
			_ = Kind.ID(hidden)
		}
	})
}

func errorsOf(found []string) []string {
	return slices.DeleteFunc(found, func(s string) bool { return strings.HasPrefix(s, "warning: ") })
}

// hide makes values of a model unknown, one at a time, whole objects included.
func hide(t *rapid.T, m Model) []Model {
	raw := compositetest.Raw(t, Kind, m)
	var paths []*tftypes.AttributePath
	_ = tftypes.Walk(raw, func(at *tftypes.AttributePath, v tftypes.Value) (bool, error) {
		if len(at.Steps()) > 0 && !v.IsNull() {
			paths = append(paths, at)
		}
		return true, nil
	})
	var out []Model
	for range 5 {
		at := rapid.SampledFrom(paths).Draw(t, "unknown")
		changed, err := tftypes.Transform(raw, func(here *tftypes.AttributePath, v tftypes.Value) (tftypes.Value, error) {
			if here.Equal(at) {
				return tftypes.NewValue(v.Type(), tftypes.UnknownValue), nil
			}
			return v, nil
		})
		if err != nil {
			t.Fatalf("%v", err)
		}
		out = append(out, compositetest.FromRaw(t, Kind, changed))
	}
	return out
}
