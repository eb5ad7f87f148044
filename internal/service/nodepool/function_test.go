package nodepool

import (
	"encoding/json"
	"math/big"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"sigs.k8s.io/yaml"

	"github.com/k0smos/terraform-provider-k0smos/internal/composite/compositetest"
	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

// dynamicOf is a value as Terraform sends it for a literal: objects and tuples.
func dynamicOf(t *testing.T, v any) attr.Value {
	t.Helper()
	switch v := v.(type) {
	case nil:
		return types.DynamicNull()
	case string:
		if v == "unknown" {
			return types.StringUnknown()
		}
		if v == "huge" {
			return types.NumberValue(big.NewFloat(0).SetMantExp(big.NewFloat(1), 4000))
		}
		return types.StringValue(v)
	case bool:
		return types.BoolValue(v)
	case float64:
		return types.Float64Value(v)
	case map[string]any:
		kinds, values := map[string]attr.Type{}, map[string]attr.Value{}
		for k, e := range v {
			values[k] = dynamicOf(t, e)
			kinds[k] = values[k].Type(t.Context())
		}
		return types.ObjectValueMust(kinds, values)
	case []any:
		var kinds []attr.Type
		var values []attr.Value
		for _, e := range v {
			values = append(values, dynamicOf(t, e))
			kinds = append(kinds, values[len(values)-1].Type(t.Context()))
		}
		return types.TupleValueMust(kinds, values)
	}
	t.Fatalf("no literal of %T", v)
	return nil
}

// called runs a function on arguments in YAML: pools, and options where there are some.
func called(t *testing.T, f function.Function, arguments string) (tf.Object[tf.HelmValue], *function.FuncError) {
	t.Helper()
	var said struct{ Pools, Options any }
	if err := yaml.Unmarshal([]byte(arguments), &said); err != nil {
		t.Fatal(err)
	}
	var options []attr.Value
	var kinds []attr.Type
	if said.Options != nil {
		options, kinds = []attr.Value{types.DynamicValue(dynamicOf(t, said.Options))}, []attr.Type{types.DynamicType}
	}
	pools := types.DynamicNull()
	if said.Pools != nil {
		pools = types.DynamicValue(dynamicOf(t, said.Pools))
	}
	var definition function.DefinitionResponse
	f.Definition(t.Context(), function.DefinitionRequest{}, &definition)
	result, failed := definition.Definition.Return.NewResultData(t.Context())
	if failed != nil {
		t.Fatal(failed)
	}
	resp := function.RunResponse{Result: result}
	f.Run(t.Context(), function.RunRequest{Arguments: function.NewArgumentsData([]attr.Value{pools, types.TupleValueMust(kinds, options)})}, &resp)
	helm, ok := resp.Result.Value().(tf.Object[tf.HelmValue])
	if !ok {
		t.Fatalf("the result is a %T", resp.Result.Value())
	}
	return helm, resp.Error
}

// written is the result as a person would write it, with the values of charts unpacked.
func written(t *testing.T, o tf.Object[tf.HelmValue]) string {
	t.Helper()
	helm, ok := o.Get()
	if !ok {
		t.Fatalf("the result is %s", o)
	}
	repositories, charts := map[string]any{}, map[string]any{}
	for name, r := range helm.Repositories.Known() {
		v, _ := r.Get()
		repositories[name] = v.URL.ValueString()
	}
	for name, c := range helm.Charts.Known() {
		v, _ := c.Get()
		var values any
		if err := json.Unmarshal([]byte(v.Values.ValueString()), &values); err != nil {
			t.Fatal(err)
		}
		charts[name] = map[string]any{"chart": v.Chart.ValueString(), "version": v.Version.ValueString(), "namespace": v.Namespace.ValueString(), "order": v.Order.ValueInt64(), "values": values}
	}
	out, err := yaml.Marshal(map[string]any{"repositories": repositories, "charts": charts})
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func TestOperatorsBecomeChartsThatK0sAndThePoolsNeed(t *testing.T) {
	for name, c := range map[string]struct {
		make      func() function.Function
		arguments string
	}{
		"nvidia-plain": {NewNVIDIAOperator, `{pools: {quebec: {vendor: nvidia, model: A100-80GB, per_node: 8}, atlanta: {vendor: amd, model: MI300X, per_node: 8}, system: null}}`},
		"nvidia-host":  {NewNVIDIAOperator, `{pools: [{vendor: nvidia, model: A100-80GB, per_node: 8, runtime: host}]}`},
		"nvidia-shared": {NewNVIDIAOperator, `
pools:
  notebooks: {gpu: {vendor: nvidia, model: T4, per_node: 1, partitioning: {mode: time_slicing, replicas: 4}}, labels: {a: b}}
  serving: {vendor: nvidia, model: L40S, per_node: 4, runtime: host, partitioning: {mode: mps, replicas: 8}}
  slices: {vendor: nvidia, model: H200, per_node: 8, partitioning: {mode: mig, profile: 1g.18gb}}
  named: {vendor: nvidia, model: H200, per_node: 8, partitioning: {mode: mig, profile: 3g.71gb, strategy: mixed}}`},
		"nvidia-configs": {NewNVIDIAOperator, `
pools:
  small: {vendor: nvidia, model: A100-40GB, per_node: 8, partitioning: {mode: mig, profile: 1g.10gb, strategy: mixed}}
  large: {vendor: nvidia, model: A100-80GB, per_node: 8, partitioning: {mode: mig, profile: 1g.10gb, strategy: mixed}}
  mine: {vendor: nvidia, model: A100-80GB, per_node: 8, partitioning: {mode: mig, config: halves, strategy: mixed}}
  balanced: {vendor: nvidia, model: H200, per_node: 8, partitioning: {mode: mig, config: all-balanced, strategy: mixed}}
  renamed: {vendor: nvidia, model: T4, per_node: 1, partitioning: {mode: time_slicing, config: renamed}}
options:
  version: v26.3.3
  namespace: gpu
  mig_configs: {halves: [{devices: [0, 1], mig-enabled: false}, {devices: [2, 3, 4, 5, 6, 7], mig-enabled: true, mig-devices: {3g.40gb: 2}}]}
  plugin_configs: {renamed: {version: v1, sharing: {timeSlicing: {renameByDefault: true, resources: [{name: nvidia.com/gpu, replicas: 2}]}}}}
  values: {driver: {enabled: false}, mig: {strategy: mixed}}`},
		"amd-plain": {NewAMDOperator, `{pools: {atlanta: {vendor: amd, model: MI300X, per_node: 8}, quebec: {vendor: nvidia, model: A100-80GB, per_node: 8}}}`},
		"amd-partitions": {NewAMDOperator, `
pools:
  a: {vendor: amd, model: MI300X, per_node: 8, partitioning: {mode: amd_partition, profile: CPX/NPS4, strategy: mixed}}
  b: {vendor: amd, model: MI300X, per_node: 8, partitioning: {mode: amd_partition, config: half, strategy: mixed}}
  old: {vendor: amd, model: MI210, per_node: 4}
options:
  driver: true
  node_feature_discovery: false
  cert_manager: false
  profiles: {half: {profiles: [{computePartition: CPX, memoryPartition: NPS1, numGPUsAssigned: 4}, {computePartition: SPX, memoryPartition: NPS1, numGPUsAssigned: 4}]}}`},
	} {
		t.Run(name, func(t *testing.T) {
			helm, failed := called(t, c.make(), c.arguments)
			if failed != nil {
				t.Fatal(failed)
			}
			compositetest.File(t, filepath.Join("testdata", "functions", name+".yaml"), []byte(written(t, helm)))
		})
	}
}

func TestOperatorsSayWhatIsMissing(t *testing.T) {
	for name, c := range map[string]struct {
		make            func() function.Function
		arguments, want string
	}{
		"pools are no text":                   {NewNVIDIAOperator, `{pools: quebec}`, "pools must be a map or a list"},
		"a pool is no text":                   {NewNVIDIAOperator, `{pools: {a: b}}`, `pools["a"] is no object`},
		"a misspelt attribute":                {NewNVIDIAOperator, `{pools: {a: {vender: nvidia}}}`, `gpu has no attribute "vender"; it has memory, model, partitioning, per_node, runtime, vendor`},
		"a misspelt part":                     {NewNVIDIAOperator, `{pools: {a: {vendor: nvidia, partitioning: {modus: mig}}}}`, `partitioning has no attribute "modus"`},
		"another vendor":                      {NewNVIDIAOperator, `{pools: {a: {vendor: intel}}}`, `vendor is "intel"; it must be nvidia or amd`},
		"a count in words":                    {NewNVIDIAOperator, `{pools: {a: {vendor: nvidia, per_node: eight}}}`, `per_node must be a whole number`},
		"a quantity that is none":             {NewNVIDIAOperator, `{pools: {a: {vendor: nvidia, memory: lots}}}`, `memory: "lots" is not a quantity`},
		"a misspelt option":                   {NewNVIDIAOperator, `{options: {release: v1}}`, `options has no attribute "release"`},
		"an option of another type":           {NewAMDOperator, `{options: {driver: "no"}}`, `driver must be true or false`},
		"options that are no object":          {NewAMDOperator, `{options: [1]}`, `options must be an object`},
		"shares without a count":              {NewNVIDIAOperator, `{pools: {a: {vendor: nvidia, partitioning: {mode: mps}}}}`, `without replicas`},
		"a plugin configuration nobody wrote": {NewNVIDIAOperator, `{pools: {a: {vendor: nvidia, partitioning: {mode: mps, config: mine}}}}`, `the configuration "mine" of the device plugin`},
		"a MIG configuration nobody wrote":    {NewNVIDIAOperator, `{pools: {a: {vendor: nvidia, model: H200, partitioning: {mode: mig, config: mine}}}}`, `the configuration "mine" of the MIG manager`},
		"a MIG configuration that is no list": {NewNVIDIAOperator, `{options: {mig_configs: {a: b}}}`, `must be a list of entries`},
		"instances that are not known":        {NewNVIDIAOperator, `{pools: {a: {vendor: nvidia, model: Z9000, partitioning: {mode: mig, profile: 1g.10gb}}}, options: {mig_configs: {mine: []}}}`, `add "all-1g.10gb" to it`},
		"a profile of AMD that nobody wrote":  {NewAMDOperator, `{pools: {a: {vendor: amd, model: MI300X, partitioning: {mode: amd_partition, config: mine}}}}`, `the profile "mine" of the device config manager`},
		"a number beyond all numbers":         {NewNVIDIAOperator, `{options: {values: {a: huge}}}`, `is too large`},
		"two strategies of one cluster":       {NewAMDOperator, `{pools: {a: {vendor: amd, model: MI300X, partitioning: {mode: amd_partition, profile: cpx, strategy: mixed}}, b: {vendor: amd, model: MI300X}}}`, `one strategy per cluster`},
	} {
		t.Run(name, func(t *testing.T) {
			_, failed := called(t, c.make(), c.arguments)
			if failed == nil || !strings.Contains(failed.Text, c.want) || !strings.HasSuffix(failed.Text, ".") {
				t.Errorf("got %v, want %q", failed, c.want)
			}
		})
	}
}

func TestOperatorsWaitForWhatIsNotKnownYet(t *testing.T) {
	for _, arguments := range []string{`{pools: {a: {vendor: nvidia, model: unknown}}}`, `{options: {version: unknown}}`} {
		helm, failed := called(t, NewNVIDIAOperator(), arguments)
		if failed != nil || !helm.IsUnknown() {
			t.Errorf("%s: %s, %v", arguments, helm, failed)
		}
	}
}

func TestOperatorsDescribeThemselves(t *testing.T) {
	for _, constructor := range []func() function.Function{NewNVIDIAOperator, NewAMDOperator} {
		f := constructor()
		var metadata function.MetadataResponse
		f.Metadata(t.Context(), function.MetadataRequest{}, &metadata)
		var definition function.DefinitionResponse
		f.Definition(t.Context(), function.DefinitionRequest{}, &definition)
		var validated function.DefinitionValidateResponse
		definition.Definition.ValidateImplementation(t.Context(), function.DefinitionValidateRequest{FuncName: metadata.Name}, &validated)
		if validated.Diagnostics.HasError() || !strings.HasSuffix(metadata.Name, "_gpu_operator") || definition.Definition.Summary == "" {
			t.Errorf("%s: %v", metadata.Name, validated.Diagnostics)
		}
	}
}
