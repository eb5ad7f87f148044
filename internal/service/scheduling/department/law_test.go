package department

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"pgregory.net/rapid"

	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
	"github.com/k0smos/terraform-provider-k0smos/internal/composite/compositetest"
	"github.com/k0smos/terraform-provider-k0smos/internal/kube/ownership"
	"github.com/k0smos/terraform-provider-k0smos/internal/service/scheduling"
	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

func maybe[V attr.Value](t *rapid.T, label string, null V, g *rapid.Generator[V]) V {
	if rapid.Bool().Draw(t, label+" left out") {
		return null
	}
	return g.Draw(t, label)
}

func text(t *rapid.T, label string, of ...string) types.String {
	return maybe(t, label, types.StringNull(), rapid.Map(rapid.SampledFrom(of), types.StringValue))
}

func duration(t *rapid.T, label string) tf.Duration {
	return maybe(t, label, tf.NullDuration(), rapid.Map(rapid.SampledFrom([]string{"0s", "30m", "1h30m", "90m"}), tf.DurationOf))
}

// anyShares are shares that hold by themselves: no limit under its quota.
func anyShares(t *rapid.T, engine string) scheduling.Shares {
	var s scheduling.Shares
	weight := func() types.Float64 {
		return maybe(t, "weight", types.Float64Null(), rapid.Map(rapid.SampledFrom([]float64{0, 0.5, 1, 2, 3}), types.Float64Value))
	}
	s.GPU = maybe(t, "gpu", tf.NullObject[scheduling.GPUShare](), rapid.Custom(func(t *rapid.T) tf.Object[scheduling.GPUShare] {
		of := []float64{0, 1, 8, 24}
		if engine == scheduling.EngineKAI {
			of = []float64{0, 0.1, 0.25, 1, 7.5, 24}
		}
		quota := maybe(t, "quota", types.Float64Null(), rapid.Map(rapid.SampledFrom(of), types.Float64Value))
		limit := maybe(t, "limit", types.Float64Null(), rapid.Map(rapid.SampledFrom(of), func(f float64) types.Float64 { return types.Float64Value(quota.ValueFloat64() + f) }))
		return tf.ObjectOf(scheduling.GPUShare{Quota: quota, Limit: limit, OverQuotaWeight: weight()})
	}))
	quantity := func(label string, quotas, limits []string) tf.Object[scheduling.QuantityShare] {
		return maybe(t, label, tf.NullObject[scheduling.QuantityShare](), rapid.Custom(func(t *rapid.T) tf.Object[scheduling.QuantityShare] {
			return tf.ObjectOf(scheduling.QuantityShare{
				Quota: maybe(t, "quota", tf.NullQuantity(), rapid.Map(rapid.SampledFrom(quotas), tf.QuantityOf)),
				Limit: maybe(t, "limit", tf.NullQuantity(), rapid.Map(rapid.SampledFrom(limits), tf.QuantityOf)), OverQuotaWeight: weight(),
			})
		}))
	}
	s.CPU = quantity("cpu", []string{"0", "1m", "500m", "1", "1000m", "64"}, []string{"64", "64000m", "128500m", "1k"})
	s.Memory = quantity("memory", []string{"0", "1", "1000001", "64Gi", "68719476736", "100G"}, []string{"1Ti", "1024Gi", "100G"})
	return s
}

// anyModel is a department whose queues hold by themselves; they need not add up.
func anyModel(t *rapid.T, engine string) Model {
	m := compositetest.Null(Kind)
	m.Name, m.Engine = types.StringValue("research"), types.StringValue(engine)
	m.Cluster = tf.ObjectOf(composite.ClusterRef{Name: types.StringValue("train"), Namespace: types.StringValue("train"), UID: types.StringNull()})
	m.DisplayName, m.Oversubscribe = text(t, "display name", "Research", "R & D"), text(t, "oversubscribe", "error", "warn", "allow")
	if engine == scheduling.EngineKAI { // the other one leaves these out, with a warning
		m.Priority = maybe(t, "priority", types.Int64Null(), rapid.Map(rapid.Int64Range(0, 300), types.Int64Value))
		m.ReclaimMinRuntime = duration(t, "reclaim")
	}
	pools := map[string]tf.Object[Pool]{}
	for _, key := range []string{"quebec-a100", "atlanta-mi300x"}[:rapid.IntRange(1, 2).Draw(t, "pools")] {
		p := Pool{Shares: anyShares(t, engine), SchedulingPool: tf.NullObject[scheduling.PoolRef](), Resource: types.StringNull(), Capacity: types.Int64Null()}
		resource := rapid.SampledFrom([]string{scheduling.NVIDIAGPU, scheduling.AMDGPU}).Draw(t, "resource")
		capacity := maybe(t, "capacity", types.Int64Null(), rapid.Map(rapid.Int64Range(0, 64), types.Int64Value))
		if rapid.Bool().Draw(t, "a reference") {
			p.SchedulingPool = tf.ObjectOf(scheduling.PoolRef{Name: text(t, "flavor", key+"-gpus"), Engine: text(t, "engine of the pool", engine), NodePool: types.StringValue(key), Resource: types.StringValue(resource), Capacity: capacity})
		} else {
			p.Resource, p.Capacity = types.StringValue(resource), capacity
		}
		pools[key] = tf.ObjectOf(p)
	}
	m.Pools = tf.MapOf(pools)
	projects := map[string]tf.Object[Project]{}
	for _, key := range []string{"vision", "language", "speech"}[:rapid.IntRange(0, 3).Draw(t, "projects")] {
		p := Project{
			Name: text(t, "name", key+"-team"), DisplayName: text(t, "display name", "A team"), Namespaces: tf.NullList[types.String](),
			CreateNamespaces: maybe(t, "create", types.BoolNull(), rapid.Map(rapid.Bool(), types.BoolValue)), EnforceNamespaces: maybe(t, "enforce", types.BoolNull(), rapid.Map(rapid.Bool(), types.BoolValue)),
			Priority: types.Int64Null(), PreemptMinRuntime: tf.NullDuration(), ReclaimMinRuntime: tf.NullDuration(),
		}
		if n := rapid.IntRange(0, 2).Draw(t, "namespaces"); n > 0 {
			p.Namespaces = tf.ListOf([]types.String{types.StringValue(key + "-a"), types.StringValue("b-" + key)}[:n]...)
		} else {
			p.EnforceNamespaces = types.BoolNull()
		}
		if engine == scheduling.EngineKAI {
			p.Priority = maybe(t, "priority", types.Int64Null(), rapid.Map(rapid.Int64Range(0, 300), types.Int64Value))
			p.PreemptMinRuntime, p.ReclaimMinRuntime = duration(t, "preempt"), duration(t, "reclaim")
		}
		parts := map[string]tf.Object[ProjectPool]{}
		for _, pool := range slices.Sorted(maps.Keys(pools))[:rapid.IntRange(1, len(pools)).Draw(t, "parts")] {
			parts[pool] = tf.ObjectOf(ProjectPool{anyShares(t, engine)})
		}
		p.Pools = tf.MapOf(parts)
		projects[key] = tf.ObjectOf(p)
	}
	if len(projects) > 0 {
		m.Projects = tf.MapOf(projects)
	}
	derive(&m, nil)
	return m
}

func forEachEngine(t *testing.T, property func(r *rapid.T, engine string)) {
	t.Helper()
	for _, engine := range []string{scheduling.EngineKAI, scheduling.EngineKueue} {
		t.Run(engine, func(t *testing.T) { rapid.Check(t, func(r *rapid.T) { property(r, engine) }) })
	}
}

func requireSame(t compositetest.TB, want, got []composite.Object) {
	t.Helper()
	if a, b := compositetest.Text(t, want), compositetest.Text(t, got); !bytes.Equal(a, b) {
		t.Fatalf("%s", compositetest.Difference(string(a), string(b)))
	}
}

func TestReadingWhatWasAppliedChangesNothing(t *testing.T) {
	forEachEngine(t, func(r *rapid.T, engine string) {
		m := anyModel(r, engine)
		read := decompose(compositetest.Live(r, compositetest.Compose(r, Kind, m)), m)
		if changed := compositetest.Changed(r, Kind, m, read); len(changed) > 0 {
			r.Fatalf("these attributes moved: %v", changed)
		}
	})
}

func TestWhatAnImportReadsComposesToTheSameObjects(t *testing.T) {
	forEachEngine(t, func(r *rapid.T, engine string) {
		m := anyModel(r, engine)
		objects := compositetest.Compose(r, Kind, m)
		empty := compositetest.Null(Kind)
		empty.Name, empty.Engine, empty.Cluster = m.Name, m.Engine, m.Cluster
		requireSame(r, objects, compositetest.Compose(r, Kind, imported(compositetest.Live(r, objects), empty)))
	})
}

// Shares that somebody else gave are read as attributes: composing what was read gives what is live.
func TestOtherSharesAreReadAsAttributes(t *testing.T) {
	forEachEngine(t, func(r *rapid.T, engine string) {
		m := anyModel(r, engine)
		other := m
		e := editOf(other)
		for key, object := range e.pools {
			if p, ok := object.Get(); ok {
				p.Shares = anyShares(r, engine)
				e.pools[key] = tf.ObjectOf(p)
			}
		}
		for key, object := range e.projects {
			p, _ := object.Get()
			parts := p.Pools.Known()
			for pool := range parts {
				parts[pool] = tf.ObjectOf(ProjectPool{anyShares(r, engine)})
			}
			p.Pools = tf.MapOf(parts)
			e.projects[key] = tf.ObjectOf(p)
		}
		objects := compositetest.Compose(r, Kind, e.done())
		read := decompose(compositetest.Live(r, objects), m)
		requireSame(r, objects, compositetest.Compose(r, Kind, read))
	})
}

func TestAnythingInAQueueIsReadWithoutPanic(t *testing.T) {
	forEachEngine(t, func(r *rapid.T, engine string) {
		m := anyModel(r, engine)
		live := compositetest.Live(r, compositetest.Compose(r, Kind, m))
		o := live[rapid.IntRange(0, len(live)-1).Draw(r, "object")]
		field := rapid.SampledFrom(append(ownership.Leaves(o.Object), "spec", "metadata.labels", "metadata.annotations")).Draw(r, "field")
		value := rapid.SampledFrom([]any{nil, "", "x", "-1", "1e999", int64(-7), 1e300, true, []any{}, map[string]any{}}).Draw(r, "value")
		_ = ownership.Set(o.Object, field, value)
		empty := compositetest.Null(Kind)
		empty.Name, empty.Engine = m.Name, m.Engine
		for _, read := range []Model{decompose(live, m), imported(live, empty), imported(live[1:], empty)} {
			derive(&read, nil)
			if _, err := compose(read, composite.Facts{}); err != nil && field == "" {
				r.Fatal(fmt.Sprint(err))
			}
		}
	})
}
