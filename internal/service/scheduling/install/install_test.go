package install

import (
	"encoding/json"
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

func call(t *testing.T, f function.Function, options ...attr.Value) (tf.Object[tf.HelmValue], *function.FuncError) {
	t.Helper()
	var definition function.DefinitionResponse
	f.Definition(t.Context(), function.DefinitionRequest{}, &definition)
	if valid := definition.Definition.Summary != "" && definition.Definition.MarkdownDescription != ""; !valid {
		t.Error("the function has no description")
	}
	result, failed := definition.Definition.Return.NewResultData(t.Context())
	if failed != nil {
		t.Fatal(failed)
	}
	var kinds []attr.Type
	var dynamic []attr.Value
	for _, o := range options {
		kinds, dynamic = append(kinds, types.DynamicType), append(dynamic, types.DynamicValue(o))
	}
	resp := function.RunResponse{Result: result}
	f.Run(t.Context(), function.RunRequest{Arguments: function.NewArgumentsData([]attr.Value{types.TupleValueMust(kinds, dynamic)})}, &resp)
	out, ok := resp.Result.Value().(tf.Object[tf.HelmValue])
	if !ok {
		t.Fatalf("the result is a %T", resp.Result.Value())
	}
	return out, resp.Error
}

// literal is a value as Terraform sends it.
func literal(t *testing.T, text string) attr.Value {
	t.Helper()
	var v any
	if err := yaml.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	return literalOf(t, v)
}

func literalOf(t *testing.T, v any) attr.Value {
	t.Helper()
	switch v := v.(type) {
	case string:
		if v == compositetest.Unknown {
			return types.StringUnknown()
		}
		return types.StringValue(v)
	case bool:
		return types.BoolValue(v)
	case float64:
		return types.Float64Value(v)
	case map[string]any:
		kinds, values := map[string]attr.Type{}, map[string]attr.Value{}
		for k, e := range v {
			values[k] = literalOf(t, e)
			kinds[k] = values[k].Type(t.Context())
		}
		return types.ObjectValueMust(kinds, values)
	case []any:
		var kinds []attr.Type
		var values []attr.Value
		for _, e := range v {
			values = append(values, literalOf(t, e))
			kinds = append(kinds, values[len(values)-1].Type(t.Context()))
		}
		return types.TupleValueMust(kinds, values)
	}
	t.Fatalf("no literal of %T", v)
	return nil
}

// written is the result as a person would write it, with the texts in it unpacked.
func written(t *testing.T, o tf.Object[tf.HelmValue]) string {
	t.Helper()
	h, ok := o.Get()
	if !ok {
		t.Fatalf("the result is %s", o)
	}
	charts := map[string]any{}
	for name, c := range h.Charts.Known() {
		v, _ := c.Get()
		values := map[string]any{}
		if err := json.Unmarshal([]byte(v.Values.ValueString()), &values); err != nil {
			t.Fatal(err)
		}
		if manager, ok := values["managerConfig"].(map[string]any); ok {
			text, _ := manager["controllerManagerConfigYaml"].(string)
			var config any
			if err := yaml.Unmarshal([]byte(text), &config); err != nil {
				t.Fatal(err)
			}
			manager["controllerManagerConfigYaml"] = config
		}
		charts[name] = map[string]any{"chart": v.Chart.ValueString(), "version": v.Version.ValueString(), "namespace": v.Namespace.ValueString(), "order": v.Order.ValueInt64(), "values": values}
	}
	out, err := yaml.Marshal(charts)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func TestSchedulersBecomeCharts(t *testing.T) {
	for name, c := range map[string]struct {
		of      function.Function
		options string
	}{
		"kai":           {NewKAI(), ""},
		"kai-options":   {NewKAI(), "{version: v0.18.0, namespace: kai, chart: \"oci://mirror.example.com/kai\", gpu_sharing: false, gpu_runtime_class: nvidia-legacy, prometheus_url: \"http://prometheus.monitoring.svc:9090\", replicas: 2, autoscaling: true, values: {defaultShard: {enabled: true}, global: {nodeSelector: {pool: system}}}}"},
		"kueue":         {NewKueue(), ""},
		"kueue-options": {NewKueue(), "{namespace: kueue, fair_sharing: false, require_queue: true, unmanaged_namespaces: [kube-system], frameworks: [batch/job, pod], cert_manager: true, prometheus: true, values: {enableKueueViz: true}}"},
	} {
		t.Run(name, func(t *testing.T) {
			var options []attr.Value
			if c.options != "" {
				options = append(options, literal(t, c.options))
			}
			out, failed := call(t, c.of, options...)
			if failed != nil {
				t.Fatal(failed)
			}
			compositetest.File(t, filepath.Join("testdata", name+".yaml"), []byte(written(t, out)))
		})
	}
}

func TestWrongOptionsAreRefusedWithTheReason(t *testing.T) {
	for options, want := range map[string]string{
		"{release: v1}":   "options has no attribute \"release\"",
		"{version: 1}":    "version must be a string",
		"{replicas: 0}":   "replicas is 0",
		"{replicas: 1.5}": "replicas must be a whole number",
		"{prometheus_url: \"http://user:secret@a\"}":             "must be a URL",
		"{prometheus: false, prometheus_url: \"http://a:9090\"}": "remove one of them",
		"{values: [a]}": "values must be an object",
		"[a]":           "options must be an object",
	} {
		if _, failed := call(t, NewKAI(), literal(t, options)); failed == nil || !strings.Contains(failed.Text, want) {
			t.Errorf("%s: %v does not say %q", options, failed, want)
		}
	}
	if _, failed := call(t, NewKueue(), literal(t, "{frameworks: [1]}")); failed == nil || !strings.Contains(failed.Text, "frameworks must be a list of strings") {
		t.Errorf("got %v", failed)
	}
	if _, failed := call(t, NewKAI(), literal(t, "{}"), literal(t, "{}")); failed == nil || !strings.Contains(failed.Text, "at most") {
		t.Errorf("got %v", failed)
	}
}

func TestWhatIsNotKnownYetMakesNoChartYet(t *testing.T) {
	out, failed := call(t, NewKAI(), literal(t, "{version: (not known yet)}"))
	if failed != nil || !out.IsUnknown() {
		t.Errorf("got %s, %v", out, failed)
	}
}
