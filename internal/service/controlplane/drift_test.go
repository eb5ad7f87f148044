package controlplane

import (
	"slices"
	"strings"
	"testing"

	"github.com/k0smos/terraform-provider-k0smos/internal/composite/compositetest"
	"github.com/k0smos/terraform-provider-k0smos/internal/kube/ownership"
)

// gone stands for a field that somebody removed.
const gone = "(gone)"

// everything uses every attribute that goes with LoadBalancer, etcd and Cilium.
const everything = `
name: train
namespace: train
version: 1.35.7
replicas: 3
expose:
  external_address: api.train.example.net
  annotations: {example.com/load-balancer: internal}
storage: {etcd: {auto_delete: true, size: 5120Mi, storage_class: fast, defrag: {}}}
network:
  cluster_domain: train.local
  cilium: {encryption: wireguard, mtu: 1420, values: '{ "hubble": {"enabled": true} }'}
placement:
  node_selector: {region: frankfurt, disk: ssd}
  tolerations: {planes: {key: dedicated, value: control-planes}, anything: {effect: NoExecute}}
  topology_spread: {zone: {}, host: {when_unsatisfiable: ScheduleAnyway}}
resources:
  requests: {cpu: 1000m, memory: 2048Mi}
helm:
  repositories: {nvidia: {url: "https://helm.ngc.nvidia.com/nvidia"}}
  charts:
    gpu-operator: {chart: nvidia/gpu-operator, version: v25.10.0, timeout: 90m, values: '{ "driver": {"enabled": false} }'}
    kueue: {chart: "oci://registry.k8s.io/kueue/charts/kueue", namespace: default}
k0s_config: '{ "spec": {"api": {"sans": ["a"]}, "images": {"repository": "mirror"}} }'
`

func TestAChangeInTheClusterShowsAsItsAttribute(t *testing.T) {
	const plane = "K0smotronControlPlane "
	chart := func(was, now string) func(any) any {
		return func(v any) any { return replaceIn(v, was, now) }
	}
	tests := map[string]struct {
		field string // kind and field
		to    any    // a value, or what makes one of the old value
		shows string // attributes; empty is drift
	}{
		"version":                             {plane + "spec.version", "v1.35.8+k0s.0", "version"},
		"a version that is no longer there":   {plane + "spec.version", gone, "version"},
		"replicas":                            {plane + "spec.replicas", int64(5), "replicas"},
		"external address":                    {plane + "spec.externalAddress", "other.example.net", "expose.external_address"},
		"type of the service":                 {plane + "spec.service.type", "NodePort", ""},
		"port of the API server":              {plane + "spec.service.apiPort", int64(7443), ""},
		"port for konnectivity":               {plane + "spec.service.konnectivityPort", int64(9132), ""},
		"volume size, to the default":         {plane + "spec.storage.etcd.persistence.size", "1Gi", "storage.etcd.size"},
		"automatic deletion":                  {plane + "spec.storage.etcd.autoDeletePVCs", false, "storage.etcd.auto_delete"},
		"defragmentation by another schedule": {plane + "spec.storage.etcd.defragJob.schedule", "0 3 * * *", "storage.etcd.defrag.schedule"},
		"defragmentation switched off":        {plane + "spec.storage.etcd.defragJob.enabled", false, "storage.etcd.defrag"},
		"one request":                         {plane + "spec.resources.requests.cpu", "2", "resources.requests[cpu]"},
		"pod addresses":                       {"Cluster spec.clusterNetwork.pods.cidrBlocks", []any{"10.9.0.0/16"}, ""},
		"service addresses":                   {"Cluster spec.clusterNetwork.services.cidrBlocks", []any{"10.8.0.0/16"}, ""},
		"network provider":                    {plane + "spec.k0sConfig.spec.network.provider", "calico", ""},
		"a key of k0s_config":                 {plane + "spec.k0sConfig.spec.images.repository", "elsewhere", "k0s_config"},
		"encryption of Cilium":                {plane + "spec.k0sConfig.spec.extensions.helm.charts", chart("encryption:\n  enabled: true", "encryption:\n  enabled: false"), "network.cilium.encryption"},
		"MTU of Cilium":                       {plane + "spec.k0sConfig.spec.extensions.helm.charts", chart("MTU: 1420", "MTU: 1500"), "network.cilium.mtu"},
		"version of Cilium":                   {plane + "spec.k0sConfig.spec.extensions.helm.charts", chart(defaultCilium, "1.18.9"), "network.cilium.version"},
		"a value of Cilium":                   {plane + "spec.k0sConfig.spec.extensions.helm.charts", chart("hubble:\n  enabled: true", "hubble:\n  enabled: false"), "network.cilium.values"},
		"a generated value of Cilium":         {plane + "spec.k0sConfig.spec.extensions.helm.charts", chart("tunnelProtocol: vxlan", "tunnelProtocol: geneve"), "network.cilium.values"},
		"version of one chart":                {plane + "spec.k0sConfig.spec.extensions.helm.charts", chart("v25.10.0", "v25.11.0"), "helm.charts[gpu-operator].version"},
		"values of one chart":                 {plane + "spec.k0sConfig.spec.extensions.helm.charts", chart("driver:\n  enabled: false", "driver:\n  enabled: true"), "helm.charts[gpu-operator].values"},
		"namespace of one chart":              {plane + "spec.k0sConfig.spec.extensions.helm.charts", chart("default", "elsewhere"), "helm.charts[gpu-operator].namespace helm.charts[kueue].namespace"},
		"a repository":                        {plane + "spec.k0sConfig.spec.extensions.helm.repositories", chart("helm.ngc.nvidia.com", "mirror.example.net"), "helm.repositories[nvidia].url"},
		"one label of the node selector":      {plane + "spec.patches", chart(`"frankfurt"`, `"berlin"`), "placement.node_selector[region]"},
		"one toleration":                      {plane + "spec.patches", chart(`"control-planes"`, `"others"`), "placement.tolerations[dedicated=others] placement.tolerations[planes]"},
		"one topology spread":                 {plane + "spec.patches", chart(`"ScheduleAnyway"`, `"DoNotSchedule"`), "placement.topology_spread[host].when_unsatisfiable"},
		"an annotation of the service":        {plane + "spec.patches", chart(`"internal"`, `"external"`), "expose.annotations[example.com/load-balancer]"},
		"all patches":                         {plane + "spec.patches", gone, "expose.annotations placement"},

		"type of the storage":      {plane + "spec.storage.type", "kine", ""},
		"domain of services":       {"Cluster spec.clusterNetwork.serviceDomain", "other.local", ""},
		"storage class":            {plane + "spec.storage.etcd.persistence.storageClass", "slow", ""},
		"the volume of a member":   {plane + "spec.persistence.type", "pvc", ""},
		"the API version for k0s":  {plane + "spec.k0sConfig.apiVersion", "k0s.k0sproject.io/v2", ""},
		"kube-proxy beside Cilium": {plane + "spec.k0sConfig.spec.network.kubeProxy.disabled", false, ""},
		"telemetry that is gone":   {plane + "spec.k0sConfig.spec.telemetry.enabled", gone, ""},
		"where the Cluster points": {"Cluster spec.controlPlaneRef.name", "other", ""},
		"a patch of somebody else": {plane + "spec.patches", func(v any) any {
			return append(slices.Clone(v.([]any)), map[string]any{"target": map[string]any{"kind": "Ingress", "component": "ingress"}, "patch": map[string]any{"type": "merge", "content": "{}"}}) //nolint:forcetypeassert // patches are a list
		}, ""},
		"charts in another order": {plane + "spec.k0sConfig.spec.extensions.helm.charts", func(v any) any {
			list := slices.Clone(v.([]any)) //nolint:forcetypeassert // charts are a list
			slices.Reverse(list)
			return list
		}, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			m := compositetest.Model(t, Kind, everything)
			derive(&m, nil)
			live := operated(t, compositetest.Live(t, composed(t, m)))
			kind, field, _ := strings.Cut(test.field, " ")
			object, _ := live.Find(kind, "")
			was, there := ownership.Lookup(object, field)
			if !there {
				t.Fatalf("%s is not composed", test.field)
			}
			to := test.to
			if change, ok := to.(func(any) any); ok {
				to = change(was)
			}
			if to == gone {
				ownership.Remove(object, field)
			} else if err := ownership.Set(object, field, to); err != nil {
				t.Fatal(err)
			}
			read := decompose(live, m)
			if refused := fixedInK0s(read, m); len(refused) > 0 {
				t.Errorf("a hand in the cluster would make every plan fail: %s", refused[0].Summary)
			}
			if shows := strings.Join(compositetest.Changed(t, Kind, m, read), " "); shows != test.shows {
				t.Errorf("it shows as %q, not as %q", shows, test.shows)
			}
			if back, _ := live.Find("Cluster", ""); test.shows == "" && back == nil {
				t.Error("the Cluster is gone")
			}
		})
	}
}

// replaceIn changes every text in a value.
func replaceIn(v any, was, now string) any {
	switch v := v.(type) {
	case string:
		return strings.ReplaceAll(v, was, now)
	case []any:
		out := make([]any, 0, len(v))
		for _, e := range v {
			out = append(out, replaceIn(e, was, now))
		}
		return out
	case map[string]any:
		out := map[string]any{}
		for k, e := range v {
			out[k] = replaceIn(e, was, now)
		}
		return out
	}
	return v
}

func TestAnObjectThatIsMissingChangesNoAttribute(t *testing.T) {
	m := compositetest.Model(t, Kind, strings.Replace(everything, "network:\n", "network:\n  pod_cidr: 10.9.0.0/16\n", 1))
	derive(&m, nil)
	for _, missing := range []string{"Cluster", "RemoteCluster", "K0smotronControlPlane"} {
		live := operated(t, compositetest.Live(t, composed(t, m)))
		for i, o := range live {
			if o.GetKind() == missing {
				live = slices.Delete(live, i, i+1)
				break
			}
		}
		if changed := compositetest.Changed(t, Kind, m, decompose(live, m)); len(changed) > 0 {
			t.Errorf("without the %s, %v changed", missing, changed)
		}
	}
}

func TestAnImportReadsLikeWhatAPersonWouldWrite(t *testing.T) {
	empty := compositetest.Null(Kind)
	for name, config := range configs {
		written := compositetest.Model(t, Kind, config)
		objects := compositetest.Compose(t, Kind, written)
		from := empty
		from.Name, from.Namespace = written.Name, written.Namespace
		read := imported(compositetest.Live(t, objects), from) // of our own objects the engine shows what we applied
		for _, path := range compositetest.Changed(t, Kind, written, read) {
			switch {
			case path == "version", path == "storage.etcd.size", path == "k0s_config", path == "helm.charts[gpu-operator].timeout", strings.HasPrefix(path, "resources.requests["):
				// the same in another spelling
			case path == "replicas", path == "cilium_version": // a default of the schema; computed
			case strings.HasPrefix(path, "placement.tolerations["): // names are nowhere in the objects
			default:
				t.Errorf("%s: %s is not what was written", name, path)
			}
		}
	}
}
