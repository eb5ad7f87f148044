package workload

import (
	"context"
	"maps"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"k8s.io/apimachinery/pkg/api/resource"
	"pgregory.net/rapid"

	"github.com/k0smos/terraform-provider-k0smos/internal/service/scheduling"
	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

func ref(engine string) types.Dynamic {
	object, _ := tf.ObjectOf(scheduling.PoolRef{Name: types.StringValue("quebec"), Engine: types.StringValue(engine), NodePool: types.StringValue("quebec-a100"), Resource: types.StringValue("nvidia.com/gpu"), Capacity: types.Int64Unknown()}).ToObjectValue(context.Background())
	return types.DynamicValue(object)
}

func label(t *testing.T, pool types.Dynamic, project string, options map[string]attr.Value) (tf.Object[Placement], *function.FuncError) {
	t.Helper()
	var definition function.DefinitionResponse
	f := NewQueueLabels()
	f.Definition(t.Context(), function.DefinitionRequest{}, &definition)
	result, failed := definition.Definition.Return.NewResultData(t.Context())
	if failed != nil {
		t.Fatal(failed)
	}
	kinds, values := []attr.Type{}, []attr.Value{}
	if options != nil {
		of := map[string]attr.Type{}
		for k, v := range options {
			of[k] = v.Type(t.Context())
		}
		kinds, values = append(kinds, types.DynamicType), append(values, types.DynamicValue(types.ObjectValueMust(of, options)))
	}
	resp := function.RunResponse{Result: result}
	f.Run(t.Context(), function.RunRequest{Arguments: function.NewArgumentsData([]attr.Value{pool, types.StringValue(project), types.TupleValueMust(kinds, values)})}, &resp)
	out, ok := resp.Result.Value().(tf.Object[Placement])
	if !ok {
		t.Fatalf("the result is a %T", resp.Result.Value())
	}
	return out, resp.Error
}

func plain(m tf.Map[types.String]) map[string]string {
	out := map[string]string{}
	for k, v := range m.Known() {
		out[k] = v.ValueString()
	}
	return out
}

type options = map[string]attr.Value

func TestWorkloadsCarryWhatTheirSchedulerGoesBy(t *testing.T) {
	for name, c := range map[string]struct {
		engine                        string
		options                       options
		queue, scheduler              string
		labels, annotations, selector map[string]string
	}{
		"whole GPUs on KAI": {"kai", nil, "vision-quebec-a100", "kai-scheduler",
			map[string]string{"kai.scheduler/queue": "vision-quebec-a100", "kai.scheduler/node-pool": "quebec-a100"}, map[string]string{}, map[string]string{}},
		"half a GPU that must stay": {"kai", options{"gpu_fraction": types.Float64Value(0.5), "preemptible": types.BoolValue(false), "priority": types.StringValue("build")}, "vision-quebec-a100", "kai-scheduler",
			map[string]string{"kai.scheduler/queue": "vision-quebec-a100", "kai.scheduler/node-pool": "quebec-a100", "kai.scheduler/preemptibility": "non-preemptible", "priorityClassName": "build"},
			map[string]string{"gpu-fraction": "0.5"}, map[string]string{}},
		"memory of two GPUs": {"kai", options{"gpu_memory": types.StringValue("10Gi"), "gpu_devices": types.Int64Value(2), "preemptible": types.BoolValue(true)}, "vision-quebec-a100", "kai-scheduler",
			map[string]string{"kai.scheduler/queue": "vision-quebec-a100", "kai.scheduler/node-pool": "quebec-a100", "kai.scheduler/preemptibility": "preemptible"},
			map[string]string{"gpu-memory": "10240", "gpu-fraction-num-devices": "2"}, map[string]string{}},
		"a queue of another name": {"kai", options{"queue": types.StringValue("special")}, "special", "kai-scheduler",
			map[string]string{"kai.scheduler/queue": "special", "kai.scheduler/node-pool": "quebec-a100"}, map[string]string{}, map[string]string{}},
		"Kueue": {"kueue", options{"priority": types.StringValue("high")}, "vision", "",
			map[string]string{"kueue.x-k8s.io/queue-name": "vision", "kueue.x-k8s.io/priority-class": "high"}, map[string]string{}, map[string]string{"kai.scheduler/node-pool": "quebec-a100"}},
	} {
		t.Run(name, func(t *testing.T) {
			o, failed := label(t, ref(c.engine), "vision", c.options)
			if failed != nil {
				t.Fatal(failed)
			}
			p, _ := o.Get()
			if p.Queue.ValueString() != c.queue || p.Scheduler.ValueString() != c.scheduler || p.Scheduler.IsNull() != (c.scheduler == "") || !maps.Equal(plain(p.Labels), c.labels) || !maps.Equal(plain(p.Annotations), c.annotations) || !maps.Equal(plain(p.NodeSelector), c.selector) {
				t.Errorf("got %+v", p)
			}
		})
	}
}

func TestWhatNoSchedulerTakesIsRefused(t *testing.T) {
	fraction := func(f float64) options { return options{"gpu_fraction": types.Float64Value(f)} }
	for name, c := range map[string]struct {
		pool    types.Dynamic
		project string
		options options
		want    string
	}{
		"a fraction of 1":               {ref("kai"), "vision", fraction(1), "above 0 and below 1"},
		"a fraction of 0":               {ref("kai"), "vision", fraction(0), "above 0 and below 1"},
		"a fraction on Kueue":           {ref("kueue"), "vision", fraction(0.5), "possible on KAI only"},
		"preemptible on Kueue":          {ref("kueue"), "vision", options{"preemptible": types.BoolValue(true)}, "Kueue has no such thing"},
		"fraction and memory":           {ref("kai"), "vision", options{"gpu_fraction": types.Float64Value(0.5), "gpu_memory": types.StringValue("1Gi")}, "Remove one"},
		"devices of nothing":            {ref("kai"), "vision", options{"gpu_devices": types.Int64Value(2)}, "there is none"},
		"no device":                     {ref("kai"), "vision", options{"gpu_fraction": types.Float64Value(0.5), "gpu_devices": types.Int64Value(0)}, "1 or more"},
		"memory in powers of 1000":      {ref("kai"), "vision", options{"gpu_memory": types.StringValue("10G")}, "whole number of Mi"},
		"memory that is no quantity":    {ref("kai"), "vision", options{"gpu_memory": types.StringValue("10 GB")}, "not a quantity"},
		"an option that does not exist": {ref("kai"), "vision", options{"fraction": types.Float64Value(0.5)}, "no attribute \"fraction\""},
		"a text in place of a number":   {ref("kai"), "vision", options{"gpu_fraction": types.StringValue("half")}, "gpu_fraction must be a number"},
		"no name of a project":          {ref("kai"), "Vision", nil, "no name of a project"},
		"a queue name that is too long": {ref("kai"), strings.Repeat("a", 60), nil, "at most 63"},
		"another engine":                {ref("volcano"), "vision", nil, "it must be kai or kueue"},
		"a pool that is a text":         {types.DynamicValue(types.StringValue("quebec")), "vision", nil, "pool must be a scheduling pool"},
		"a pool without an engine":      {types.DynamicValue(types.ObjectValueMust(map[string]attr.Type{"node_pool": types.StringType}, options{"node_pool": types.StringValue("a")})), "vision", nil, "it has no engine"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, failed := label(t, c.pool, c.project, c.options); failed == nil || !strings.Contains(failed.Text, c.want) {
				t.Errorf("%v does not say %q", failed, c.want)
			}
		})
	}
}

func TestLabelsWaitForWhatIsNotKnownYet(t *testing.T) {
	unknown := types.DynamicValue(types.ObjectValueMust(map[string]attr.Type{"engine": types.StringType, "node_pool": types.StringType}, options{"engine": types.StringValue("kai"), "node_pool": types.StringUnknown()}))
	for name, c := range map[string]struct {
		pool    types.Dynamic
		options options
	}{
		"the pool":      {types.DynamicUnknown(), nil},
		"its node pool": {unknown, nil},
		"an option":     {ref("kai"), options{"priority": types.StringUnknown()}},
	} {
		if o, failed := label(t, c.pool, "vision", c.options); failed != nil || !o.IsUnknown() {
			t.Errorf("%s: got %s, %v", name, o, failed)
		}
	}
}

func TestQuantitiesAddUpExactly(t *testing.T) {
	list := func(texts ...string) []types.String {
		var out []types.String
		for _, text := range texts {
			out = append(out, types.StringValue(text))
		}
		return out
	}
	for _, c := range []struct {
		of   []types.String
		want string
	}{
		{nil, "0"}, {list("500m", "2"), "2500m"}, {list("64Gi", "512Mi"), "66048Mi"}, {list("1Gi", "1G"), "2073741824"}, {list("1G", "1Gi"), "2073741824"},
		{list("0.1", "0.2", "0.7"), "1"}, {list("1", "-1"), "0"}, {list("8E"), "8E"},
	} {
		if got, err := sumOf(c.of); err != nil || got != c.want {
			t.Errorf("%v: got %q, %v, want %q", c.of, got, err, c.want)
		}
	}
	for want, of := range map[string][]types.String{"quantities[1]: \"2 GB\" is not a quantity": list("1", "2 GB"), "quantities[0] is null": {types.StringNull()}, "beyond 8E": list("8E", "8E")} {
		if _, err := sumOf(of); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not say %q", err, want)
		}
	}
}

func TestTheOrderOfQuantitiesDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		texts := rapid.SliceOfN(rapid.SampledFrom([]string{"1", "500m", "1Gi", "64Mi", "1e3", "3k", "0", "100n"}), 1, 8).Draw(r, "quantities")
		var list, reversed []types.String
		for i := range texts {
			list, reversed = append(list, types.StringValue(texts[i])), append(reversed, types.StringValue(texts[len(texts)-1-i]))
		}
		a, errA := sumOf(list)
		b, errB := sumOf(reversed)
		if errA != nil || errB != nil {
			r.Fatal(errA, errB)
		}
		x, y := resource.MustParse(a), resource.MustParse(b)
		if x.Cmp(y) != 0 {
			r.Fatalf("%s and %s", a, b)
		}
	})
}

func TestTheSumIsAFunction(t *testing.T) {
	var definition function.DefinitionResponse
	f := NewQuantitySum()
	f.Definition(t.Context(), function.DefinitionRequest{}, &definition)
	result, _ := definition.Definition.Return.NewResultData(t.Context())
	resp := function.RunResponse{Result: result}
	f.Run(t.Context(), function.RunRequest{Arguments: function.NewArgumentsData([]attr.Value{types.ListValueMust(types.StringType, []attr.Value{types.StringValue("1"), types.StringValue("1")})})}, &resp)
	if got, ok := resp.Result.Value().(types.String); resp.Error != nil || !ok || got.ValueString() != "2" {
		t.Errorf("got %v, %v", resp.Result.Value(), resp.Error)
	}
}
