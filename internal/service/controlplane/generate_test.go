package controlplane

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework-jsontypes/jsontypes"
	"github.com/hashicorp/terraform-plugin-framework-nettypes/cidrtypes"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"pgregory.net/rapid"

	"github.com/k0smos/terraform-provider-k0smos/internal/composite/compositetest"
	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

// anyModel generates configurations that the checks accept, with attributes left out, written out as their defaults, or
// written in any spelling.
func anyModel(t *rapid.T) Model {
	m := compositetest.Null(Kind)
	m.Name, m.Namespace = types.StringValue(word(t, "name")), types.StringValue("train")
	m.Version = tf.VersionOf(rapid.SampledFrom([]string{"1.35.7", "v1.35.7+k0s.0", "v1.35.7-k0s.0", "1.36.2+k0s.3"}).Draw(t, "version"))
	m.Replicas = maybe(t, "replicas", types.Int64Null(), rapid.Map(rapid.SampledFrom([]int64{1, 3, 5}), types.Int64Value))
	m.Expose, m.Storage = anyExpose(t), anyStorage(t)
	m.Network = maybeObject(t, "network", anyNetwork)
	m.Placement = maybeObject(t, "placement", anyPlacement)
	m.Resources = maybeObject(t, "resources", func(t *rapid.T) Resources {
		amount := rapid.Map(rapid.SampledFrom([]string{"1", "1000m", "0.5", "2Gi", "2048Mi"}), tf.QuantityOf)
		return Resources{Requests: maybeMap(t, "requests", amount), Limits: maybeMap(t, "limits", amount)}
	})
	m.Helm = maybeObject(t, "helm", anyHelm)
	m.K0sConfig = maybe(t, "k0s_config", jsontypes.NewNormalizedNull(), rapid.Custom(anyK0sConfig))
	derive(&m, nil)
	return m
}

func maybe[V any](t *rapid.T, label string, null V, g *rapid.Generator[V]) V {
	if rapid.Bool().Draw(t, label+" left out") {
		return null
	}
	return g.Draw(t, label)
}

func maybeObject[T any](t *rapid.T, label string, g func(*rapid.T) T) tf.Object[T] {
	return maybe(t, label, tf.NullObject[T](), rapid.Custom(func(t *rapid.T) tf.Object[T] { return tf.ObjectOf(g(t)) }))
}

func maybeMap[V attr.Value](t *rapid.T, label string, g *rapid.Generator[V]) tf.Map[V] {
	return maybe(t, label, tf.NullMap[V](), rapid.Map(rapid.MapOfN(rapid.Custom(func(t *rapid.T) string { return word(t, "key") }), g, 1, 3), tf.MapOf[V]))
}

func word(t *rapid.T, label string) string {
	return rapid.StringMatching(`[a-z][a-z0-9]{0,7}`).Draw(t, label)
}

func anyText(t *rapid.T) string {
	return rapid.SampledFrom([]string{"yes", "1", "true", "a: b", "{{ x }}", "ünï", "<a&b>", "10.244.0.0/16", "null"}).Draw(t, "text")
}

func choice(t *rapid.T, label string, of ...string) types.String {
	return maybe(t, label, types.StringNull(), rapid.Map(rapid.SampledFrom(of), types.StringValue))
}

func numbers(t *rapid.T, label string, of ...int64) types.Int64 {
	return maybe(t, label, types.Int64Null(), rapid.Map(rapid.SampledFrom(of), types.Int64Value))
}

func textMaps(t *rapid.T, label string) tf.Map[types.String] {
	return maybeMap(t, label, rapid.Map(rapid.Custom(anyText), types.StringValue))
}

func anyExpose(t *rapid.T) tf.Object[Expose] {
	e := Expose{
		Type: choice(t, "expose type", exposeLoadBalancer, exposeNodePort, exposeClusterIP, exposeIngress), ExternalAddress: choice(t, "address", "api.example.net", "192.0.2.1"),
		APIPort: numbers(t, "api port", 6443, 30443, 31000), KonnectivityPort: numbers(t, "konnectivity port", 8132, 30132, 31001),
		Annotations: textMaps(t, "service annotations"), Ingress: tf.NullObject[Ingress](),
	}
	switch e.Type.ValueString() {
	case exposeIngress:
		e.Ingress = tf.ObjectOf(Ingress{APIHost: types.StringValue("api.example.net"), KonnectivityHost: types.StringValue("konn.example.net"), ClassName: choice(t, "class", "haproxy"),
			Port: numbers(t, "ingress port", 443, 8443), Annotations: textMaps(t, "ingress annotations")})
	case exposeNodePort, exposeClusterIP:
		e.ExternalAddress = types.StringValue("192.0.2.1")
	}
	return tf.ObjectOf(e)
}

func anyStorage(t *rapid.T) tf.Object[Storage] {
	s := Storage{Type: choice(t, "storage type", storageEtcd, storageKine), Etcd: tf.NullObject[Etcd](), Kine: tf.NullObject[Kine]()}
	if s.Type.ValueString() == storageKine {
		s.Kine = tf.ObjectOf(Kine{Secret: types.StringValue("database")})
		return tf.ObjectOf(s)
	}
	s.Etcd = tf.ObjectOf(Etcd{
		Size: maybe(t, "size", tf.NullQuantity(), rapid.Map(rapid.SampledFrom([]string{"1Gi", "1024Mi", "5Gi", "0.5Gi", "1e9"}), tf.QuantityOf)), StorageClass: choice(t, "class", "fast"),
		AutoDelete: types.BoolValue(rapid.Bool().Draw(t, "auto delete")),
		Defrag:     maybeObject(t, "defrag", func(t *rapid.T) Defrag { return Defrag{Schedule: choice(t, "schedule", defaultDefrag, "0 3 * * *")} }),
	})
	return tf.ObjectOf(s)
}

func anyNetwork(t *rapid.T) Network {
	n := Network{
		Provider: choice(t, "provider", networkCilium, networkKubeRouter, networkCalico, networkCustom), ClusterDomain: choice(t, "domain", defaultClusterDomain, "train.example.net"),
		PodCIDR:     maybe(t, "pods", cidrtypes.NewIPPrefixNull(), rapid.Map(rapid.SampledFrom([]string{defaultPodCIDR, "10.120.0.0/16"}), cidrtypes.NewIPPrefixValue)),
		ServiceCIDR: maybe(t, "services", cidrtypes.NewIPPrefixNull(), rapid.Map(rapid.SampledFrom([]string{defaultServiceCIDR, "10.200.0.0/16"}), cidrtypes.NewIPPrefixValue)),
		Cilium:      tf.NullObject[Cilium](),
	}
	if provider := n.Provider.ValueString(); provider == "" || provider == networkCilium {
		n.Cilium = maybeObject(t, "cilium", func(t *rapid.T) Cilium {
			return Cilium{
				Version: choice(t, "cilium version", defaultCilium, "1.18.4"), Encryption: choice(t, "encryption", encryptionNone, encryptionWireGuard), MTU: numbers(t, "mtu", 1420, 9000),
				Values: maybe(t, "values", jsontypes.NewNormalizedNull(), rapid.Map(rapid.SampledFrom([]string{
					`{}`, `{"hubble":{"enabled":true}}`, `{"tunnelProtocol":"geneve","operator":{"replicas":2}}`, `{"ipam":{"operator":{"clusterPoolIPv4MaskSize":25}}}`,
					`{"k8sServicePort":6443,"x":null,"big":12345678901234567,"f":1.5,"z":[1,{"a":null}]}`, `{ "kubeProxyReplacement" : true }`,
				}), jsontypes.NewNormalizedValue)),
			}
		})
	}
	return n
}

func anyPlacement(t *rapid.T) Placement {
	return Placement{
		NodeSelector: textMaps(t, "node selector"),
		Tolerations: maybeMap(t, "tolerations", rapid.Custom(func(t *rapid.T) tf.Object[Toleration] {
			toleration := Toleration{Key: choice(t, "key", "a", "b"), Operator: choice(t, "operator", "Exists", "Equal"), Value: choice(t, "value", "x", "y"), Effect: choice(t, "effect", "NoSchedule", "NoExecute")}
			if toleration.Key.IsNull() {
				toleration.Operator = choice(t, "operator", "Exists")
			}
			if toleration.Key.IsNull() || toleration.Operator.ValueString() == "Exists" {
				toleration.Value = types.StringNull()
			}
			return tf.ObjectOf(toleration)
		})),
		TopologySpread: maybeMap(t, "spread", rapid.Custom(func(t *rapid.T) tf.Object[Spread] {
			return tf.ObjectOf(Spread{MaxSkew: numbers(t, "skew", 1, 2), WhenUnsatisfiable: choice(t, "when", "DoNotSchedule", "ScheduleAnyway")})
		})),
	}
}

func anyHelm(t *rapid.T) Helm {
	return Helm{
		Repositories: maybeMap(t, "repositories", rapid.Just(tf.ObjectOf(Repository{URL: types.StringValue("https://charts.example.net")}))),
		Charts: maybeMap(t, "charts", rapid.Custom(func(t *rapid.T) tf.Object[Chart] {
			return tf.ObjectOf(Chart{
				Chart: types.StringValue("oci://example.net/chart"), Version: choice(t, "chart version", "1.0.0"), Namespace: choice(t, "namespace", "default", "system"),
				Values: maybe(t, "chart values", jsontypes.NewNormalizedNull(), rapid.Custom(func(t *rapid.T) tf.JSON { return jsontypes.NewNormalizedValue(encode(anyTree(t, 2))) })),
				Order:  numbers(t, "order", 0, 7), Timeout: maybe(t, "timeout", tf.NullDuration(), rapid.Map(rapid.SampledFrom([]string{"90m", "1h30m", "10m0s"}), tf.DurationOf)),
			})
		})),
	}
}

func anyK0sConfig(t *rapid.T) tf.JSON {
	config := rapid.SampledFrom([]string{
		`{}`, `{"spec":{}}`, `{"spec":null}`, `{"apiVersion":"k0s.k0sproject.io/v1beta1","kind":"ClusterConfig"}`, `{"metadata":{"name":"k0s"}}`,
		`{"spec":{"telemetry":{"enabled":true}}}`, `{"spec":{"telemetry":{"enabled":false}}}`, `{"spec":{"telemetry":null}}`, `{"spec":{"telemetry":{"enabled":true,"id":"x"}}}`,
		`{"spec":{"extensions":{}}}`, `{"spec":{"extensions":{"storage":{"type":"external_storage"}}}}`,
		`{"spec":{"network":{"kubeProxy":{"mode":"ipvs"}}}}`, `{"spec":{"network":{"kubeProxy":{}}}}`, `{"spec":{"network":{"nodeLocalLoadBalancing":{"enabled":true}}}}`,
		`{"spec":{"images":{"repository":"mirror.example.net"},"workerProfiles":[{"name":"gpu","values":{"maxPods":250}}]}}`, `{"spec":{"api":{"extraArgs":{"a":"<b>"}},"n":12345678901234567}}`,
	}).Draw(t, "k0s config")
	if rapid.Bool().Draw(t, "indented") {
		var b bytes.Buffer
		if err := json.Indent(&b, []byte(config), "", "  "); err != nil {
			panic(err)
		}
		config = b.String()
	}
	return jsontypes.NewNormalizedValue(config)
}

// anyTree generates a JSON object.
func anyTree(t *rapid.T, depth int) map[string]any {
	out := map[string]any{}
	for i := range rapid.IntRange(0, 3).Draw(t, "size") {
		key := fmt.Sprintf("%s%d", word(t, "key"), i)
		switch pick := rapid.IntRange(0, 6).Draw(t, "kind"); {
		case pick == 0 && depth > 0:
			out[key] = anyTree(t, depth-1)
		case pick == 1:
			out[key] = rapid.Int64().Draw(t, "number")
		case pick == 2:
			out[key] = rapid.SampledFrom([]any{true, false, nil, 1.5, 0.1, []any{}, map[string]any{}}).Draw(t, "scalar")
		case pick == 3:
			out[key] = []any{anyText(t), rapid.Int64().Draw(t, "number")}
		default:
			out[key] = anyText(t)
		}
	}
	return out
}

func encode(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(raw)
}
