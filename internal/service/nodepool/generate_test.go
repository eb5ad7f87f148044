package nodepool

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework-jsontypes/jsontypes"
	"github.com/hashicorp/terraform-plugin-framework-nettypes/cidrtypes"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"pgregory.net/rapid"

	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
	"github.com/k0smos/terraform-provider-k0smos/internal/composite/compositetest"
	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

// anyModel generates configurations that the checks accept, with attributes left out, written out as their defaults, or written
// in any spelling.
func anyModel(t *rapid.T) Model {
	m := compositetest.Null(Kind)
	m.Name = types.StringValue(word(t, "name"))
	m.Cluster = tf.ObjectOf(composite.ClusterRef{Name: types.StringValue("train"), Namespace: types.StringValue("train"), UID: choice(t, "uid", "u-1")})
	m.Namespace = choice(t, "namespace", "train")
	m.Site = tf.ObjectOf(Site{Name: types.StringValue("quebec"), Namespace: types.StringValue("train"), Region: choice(t, "region", "ca-qc"), Zone: choice(t, "zone", "montreal-1"), SSH: tf.ObjectOf(SSH{
		User: choice(t, "site user", "root", "k0s"), Port: numbers(t, "site port", 22, 2222), UseSudo: flags(t, "sudo"), Secret: types.StringValue("quebec-ssh"),
	})})
	m.Version = tf.VersionOf(rapid.SampledFrom([]string{"1.35.7", "v1.35.7+k0s.0", "v1.35.7-k0s.0", "1.36.2+k0s.3"}).Draw(t, "version"))
	if rapid.IntRange(0, 4).Draw(t, "machines elsewhere") == 0 {
		m.MachineTemplate = tf.ObjectOf(MachineTemplate{APIVersion: types.StringValue("infrastructure.cluster.x-k8s.io/v1beta1"), Kind: types.StringValue("AWSMachineTemplate"), Name: types.StringValue("burst")})
		m.Replicas = types.Int64Value(rapid.Int64Range(0, 5).Draw(t, "replicas"))
	} else {
		m.Hosts = anyHosts(t)
		m.ProvisionJob = maybeObject(t, "job", func(t *rapid.T) ProvisionJob {
			return ProvisionJob{SSHCommand: choice(t, "ssh", "ssh", "tsh ssh"), SCPCommand: choice(t, "scp", "scp", "tsh scp"), JobTemplate: jsontypes.NewNormalizedValue(`{"spec": {"backoffLimit": 3, "template": {"spec": {"containers": [{"name": "ssh", "image": "example.net/tsh"}]}}}}`)}
		})
		if active := int64(len(effectiveOf(m).active())); active > 0 {
			switch rapid.IntRange(0, 3).Draw(t, "size") {
			case 0:
				m.Replicas = types.Int64Value(rapid.Int64Range(0, active).Draw(t, "replicas"))
			case 1:
				m.Autoscaling = tf.ObjectOf(Autoscaling{Min: types.Int64Value(rapid.Int64Range(0, active).Draw(t, "min")), Max: types.Int64Value(active), By: choice(t, "by", byClusterAutoscaler, byEnergy), CPU: quantities(t, "cpu"), Memory: quantities(t, "memory")})
			}
		}
	}
	m.GPU = maybeObject(t, "gpu", anyGPU)
	m.Labels = maybeMap(t, "labels", []string{"team", "example.com/team", "node-role.kubernetes.io/gpu"}, func(t *rapid.T) types.String { return types.StringValue(word(t, "label")) })
	m.Taints = maybeMap(t, "taints", []string{"nvidia.com/gpu", "edge"}, func(t *rapid.T) tf.Object[Taint] {
		return tf.ObjectOf(Taint{Value: choice(t, "value", "present"), Effect: choice(t, "effect", defaultEffect, "NoExecute")})
	})
	m.SchedulerPool = choice(t, "scheduler pool", "quebec")
	m.NodeIPCIDR = maybe(t, "node ip", cidrtypes.NewIPPrefixNull(), rapid.Map(rapid.SampledFrom([]string{"10.0.0.0/8", "2001:db8::/32"}), cidrtypes.NewIPPrefixValue))
	m.PreCommands, m.PostCommands = lines(t, "pre"), lines(t, "post")
	m.WorkerArgs = maybe(t, "args", tf.NullList[types.String](), rapid.Custom(func(t *rapid.T) tf.List[types.String] {
		return textList(rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"--debug", "--profile=gpu", "--x=a b", "--y=it's $HOME", "'quoted'", "--kubelet-extra-args=--max-pods=250 --v=2"}), 1, 3, func(s string) string { return s }).Draw(t, "args"))
	}))
	m.Files = maybeMap(t, "files", []string{"/etc/a", "/etc/b/c.d"}, func(t *rapid.T) tf.Object[File] {
		f := File{Content: types.StringValue(rapid.SampledFrom([]string{"", "a\n", "ünï: '{{ x }}'"}).Draw(t, "content")), Secret: tf.NullObject[SecretKey](), Permissions: choice(t, "permissions", "0644", "0600")}
		if rapid.Bool().Draw(t, "secret") {
			f.Content, f.Secret = types.StringNull(), tf.ObjectOf(SecretKey{Name: types.StringValue("files"), Key: types.StringValue("a")})
		}
		return tf.ObjectOf(f)
	})
	m.K0s = maybeObject(t, "k0s", func(t *rapid.T) K0s {
		if rapid.Bool().Draw(t, "installed") {
			return K0s{DownloadURL: types.StringNull(), PreInstalled: types.BoolValue(true)}
		}
		return K0s{DownloadURL: types.StringValue("https://example.net/k0s"), PreInstalled: choiceOfNo(t)}
	})
	m.Rollout = maybeObject(t, "rollout", func(t *rapid.T) Rollout {
		r := Rollout{Strategy: choice(t, "strategy", strategyRolling, strategyOnDelete), MaxUnavailable: numbers(t, "unavailable", 1, 2), MaxSurge: numbers(t, "surge", 0), Paused: flags(t, "paused")}
		if r.Strategy.ValueString() == strategyOnDelete {
			r.MaxUnavailable, r.MaxSurge = types.Int64Null(), types.Int64Null()
		}
		return r
	})
	m.Drain = maybeObject(t, "drain", func(t *rapid.T) Drain {
		return Drain{Timeout: durations(t, "drain"), VolumeDetachTimeout: durations(t, "detach"), NodeDeletionTimeout: durations(t, "node")}
	})
	m.HealthCheck = maybeObject(t, "health", func(t *rapid.T) HealthCheck {
		return HealthCheck{Timeout: durations(t, "unhealthy"), NodeStartupTimeout: durations(t, "startup"), MaxUnhealthy: choice(t, "most", "1", "3", "40%")}
	})
	if active := effectiveOf(m).active(); len(active) > 0 && rapid.Bool().Draw(t, "rebuilt") {
		m.Reprovision = tf.MapOf(map[string]types.String{active[0]: types.StringValue("1")})
	}
	derive(&m, nil)
	return m
}

func anyHosts(t *rapid.T) tf.Map[tf.Object[Host]] {
	hosts := map[string]tf.Object[Host]{}
	for i := range rapid.IntRange(0, 4).Draw(t, "hosts") {
		h := Host{
			Address: types.StringValue(fmt.Sprintf("192.0.2.%d", i+1)), Port: numbers(t, "port", 22, 2222), User: choice(t, "user", "root", "admin"), State: choice(t, "state", stateActive, stateDrain), ObjectName: types.StringNull(),
			Labels: maybeMap(t, "host labels", []string{"rack", "row"}, func(t *rapid.T) types.String { return types.StringValue(word(t, "label")) }),
		}
		if rapid.IntRange(0, 3).Draw(t, "named") == 0 {
			h.ObjectName = types.StringValue(fmt.Sprintf("by-hand-%d", i))
		}
		hosts[fmt.Sprintf("h%d", i)] = tf.ObjectOf(h)
	}
	return tf.MapOf(hosts)
}

func anyGPU(t *rapid.T) GPU {
	g := GPU{
		Vendor: types.StringValue(vendorNVIDIA), Model: types.StringValue("A100-80GB"), PerNode: types.Int64Value(8), Memory: maybe(t, "memory", tf.NullQuantity(), rapid.Map(rapid.SampledFrom([]string{"80Gi", "81920Mi"}), tf.QuantityOf)),
		Runtime: choice(t, "runtime", runtimeOperator, runtimeHost), Partitioning: tf.NullObject[Partitioning](),
	}
	if rapid.Bool().Draw(t, "AMD") {
		g.Vendor, g.Model = types.StringValue(vendorAMD), types.StringValue("MI300X")
		return g
	}
	g.Partitioning = maybeObject(t, "partitioning", func(t *rapid.T) Partitioning {
		p := Partitioning{Mode: choice(t, "mode", modeNone), Profile: types.StringNull(), Strategy: types.StringNull(), Config: types.StringNull(), Replicas: types.Int64Null()}
		if rapid.Bool().Draw(t, "mig") {
			p.Mode, p.Profile, p.Strategy = types.StringValue(modeMIG), types.StringValue("1g.10gb"), choice(t, "strategy", strategySingle, strategyMixed)
		}
		return p
	})
	return g
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

func maybeMap[V attr.Value](t *rapid.T, label string, keys []string, g func(*rapid.T) V) tf.Map[V] {
	return maybe(t, label, tf.NullMap[V](), rapid.Map(rapid.MapOfN(rapid.SampledFrom(keys), rapid.Custom(g), 1, len(keys)), tf.MapOf[V]))
}

func word(t *rapid.T, label string) string {
	return rapid.StringMatching(`[a-z][a-z0-9]{0,7}`).Draw(t, label)
}

func choice(t *rapid.T, label string, of ...string) types.String {
	return maybe(t, label, types.StringNull(), rapid.Map(rapid.SampledFrom(of), types.StringValue))
}

func numbers(t *rapid.T, label string, of ...int64) types.Int64 {
	return maybe(t, label, types.Int64Null(), rapid.Map(rapid.SampledFrom(of), types.Int64Value))
}

func flags(t *rapid.T, label string) types.Bool {
	return maybe(t, label, types.BoolNull(), rapid.Map(rapid.Bool(), types.BoolValue))
}

func choiceOfNo(t *rapid.T) types.Bool {
	return maybe(t, "not installed", types.BoolNull(), rapid.Just(types.BoolValue(false)))
}

func quantities(t *rapid.T, label string) tf.Quantity {
	return maybe(t, label, tf.NullQuantity(), rapid.Map(rapid.SampledFrom([]string{"64", "64000m", "1Ti", "1024Gi"}), tf.QuantityOf))
}

func durations(t *rapid.T, label string) tf.Duration {
	return maybe(t, label, tf.NullDuration(), rapid.Map(rapid.SampledFrom([]string{"15m", "900s", "1h", "90s", "5m0s"}), tf.DurationOf))
}

func lines(t *rapid.T, label string) tf.List[types.String] {
	return maybe(t, label, tf.NullList[types.String](), rapid.Custom(func(t *rapid.T) tf.List[types.String] {
		return textList(rapid.SliceOfN(rapid.SampledFrom([]string{"true", "echo 'a b' | tee /tmp/x", "test -e /dev/kfd || exit 1"}), 1, 2).Draw(t, label))
	}))
}
