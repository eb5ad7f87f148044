package quota

import (
	"bytes"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"pgregory.net/rapid"
	"sigs.k8s.io/yaml"

	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
	"github.com/k0smos/terraform-provider-k0smos/internal/composite/compositetest"
	"github.com/k0smos/terraform-provider-k0smos/internal/kube/ownership"
	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

func TestSchemaAndModelAgree(t *testing.T) { compositetest.Schema(t, Kind) }

const head = "name: caps\nnamespace: vision\n"

const full = head + `
cluster: {name: train, namespace: train}
cpu: 256000m
memory: 2048Gi
gpus: {nvidia.com/gpu: 8, nvidia.com/mig-3g.40gb: 4, amd.com/gpu: 0}
pods: 200
default_limits: {cpu: "4", memory: 16Gi, cpu_request: 500m, memory_request: 2Gi}
`

// configs are the cases of the golden files in testdata.
var configs = map[string]string{
	"full":     full,
	"gpus":     head + "gpus: {nvidia.com/gpu: 8}",
	"defaults": head + "default_limits: {memory: 16Gi}",
}

func TestConfigurationsComposeToGoldenObjects(t *testing.T) { compositetest.Golden(t, Kind, configs) }

func TestWrongQuotasAreFoundInThePlan(t *testing.T) {
	for name, test := range map[string]struct {
		more string
		want string // what the message says; "" is nothing wrong
		at   string
		warn bool
	}{
		"a quota of all there is":             {"gpus: {nvidia.com/gpu: 8, amd.com/gpu: 8, nvidia.com/mig-1g.10gb: 7, nvidia.com/mig-1g.10gb.me: 1, nvidia.com/gpu.shared: 3, amd.com/cpx_nps4: 64}", "", "", false},
		"a quota of nothing":                  {"", "Nothing is capped", "name", false},
		"empty maps cap nothing":              {"gpus: {}\ndefault_limits: {}", "Nothing is capped", "name", false},
		"what is not known yet may be a cap":  {"gpus: (not known yet)", "", "", false},
		"a number that is not known yet":      {"gpus: {nvidia.com/gpu: (not known yet)}\ncpu: (not known yet)", "", "", false},
		"no device is forbidden by 0":         {"gpus: {nvidia.com/gpu: 0}", "", "", false},
		"a key of a ResourceQuota":            {"gpus: {requests.nvidia.com/gpu: 8}", "Write the name of the device alone: \"nvidia.com/gpu\"", "gpus[\"requests.nvidia.com/gpu\"]", false},
		"a limit of a device":                 {"gpus: {limits.nvidia.com/gpu: 8}", "alone: \"nvidia.com/gpu\"", "gpus[\"limits.nvidia.com/gpu\"]", false},
		"no domain":                           {"gpus: {gpu: 8}", "under a name with a domain", "gpus[\"gpu\"]", false},
		"CPU as a device":                     {"gpus: {cpu: 8}", "CPU and memory have attributes", "gpus[\"cpu\"]", false},
		"null":                                {"gpus: {nvidia.com/gpu: null}", "with null", "gpus[\"nvidia.com/gpu\"]", false},
		"a MIG profile with a hyphen":         {"gpus: {nvidia.com/mig-3g-40gb: 1}", "no card offers", "gpus[\"nvidia.com/mig-3g-40gb\"]", false},
		"a misspelled card":                   {"gpus: {nvidia.com/gpus: 1}", "a misspelled one caps nothing", "gpus[\"nvidia.com/gpus\"]", true},
		"a request above the limit":           {"default_limits: {cpu: \"1\", cpu_request: 1500m}", "cpu_request is 1500m, above default_limits.cpu, which is 1", "default_limits.cpu_request", false},
		"memory of a request above the limit": {"default_limits: {memory: 1Gi, memory_request: 1G}", "", "", false},
		"memory in thousandths":               {"memory: 100m", "did you mean M or Mi", "memory", false},
		"a part of a millicore":               {"cpu: 100u", "no whole number of millicores", "cpu", false},
		"a default in thousandths":            {"default_limits: {memory: 1500m}", "no whole number of bytes", "default_limits.memory", false},
	} {
		t.Run(name, func(t *testing.T) {
			m := compositetest.Model(t, Kind, head+test.more)
			var findings []composite.Finding
			for _, check := range checks {
				findings = append(findings, check(m)...)
			}
			if test.want == "" {
				if len(findings) > 0 {
					t.Fatalf("found %+v", findings)
				}
				return
			}
			if len(findings) != 1 || findings[0].Warning != test.warn || !strings.Contains(findings[0].Detail, test.want) || findings[0].Path.String() != test.at {
				t.Fatalf("found %+v, want %q at %s", findings, test.want, test.at)
			}
		})
	}
}

// anyModel generates configurations that the checks accept.
func anyModel(t *rapid.T) Model {
	m := compositetest.Null(Kind)
	quantity := func(label string, of ...string) tf.Quantity {
		return maybe(t, label, tf.NullQuantity(), rapid.Map(rapid.SampledFrom(of), tf.QuantityOf))
	}
	cpus, bytes := []string{"0", "1", "1000m", "1500m", "128", "1e3"}, []string{"0", "1Gi", "1024Mi", "1G", "1073741824", "1.5Gi"}
	m.Name, m.Namespace = types.StringValue("caps"), types.StringValue("vision")
	m.CPU, m.Memory = quantity("cpu", cpus...), quantity("memory", bytes...)
	m.Pods = maybe(t, "pods", types.Int64Null(), rapid.Map(rapid.Int64Range(0, 5000), types.Int64Value))
	m.GPUs = maybe(t, "gpus", tf.NullMap[types.Int64](), rapid.Map(rapid.MapOf(rapid.SampledFrom([]string{"nvidia.com/gpu", "amd.com/gpu", "nvidia.com/mig-3g.40gb"}), rapid.Int64Range(0, 64)), func(in map[string]int64) tf.Map[types.Int64] {
		out := map[string]types.Int64{}
		for k, n := range in {
			out[k] = types.Int64Value(n)
		}
		return tf.MapOf(out)
	}))
	m.DefaultLimits = maybe(t, "defaults", tf.NullObject[Defaults](), rapid.Just(tf.ObjectOf(Defaults{quantity("d cpu", cpus...), quantity("d memory", bytes...), quantity("r cpu", cpus...), quantity("r memory", bytes...)})))
	return m
}

func maybe[V attr.Value](t *rapid.T, label string, null V, g *rapid.Generator[V]) V {
	if rapid.Bool().Draw(t, label+" left out") {
		return null
	}
	return g.Draw(t, label)
}

func TestReadingWhatWasAppliedChangesNothing(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		m := anyModel(r)
		read := decompose(compositetest.Live(r, compositetest.Compose(r, Kind, m)), m)
		if changed := compositetest.Changed(r, Kind, m, read); len(changed) > 0 {
			r.Fatalf("these attributes moved: %v", changed)
		}
	})
}

func TestWhatIsReadComposesToTheSameObjects(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		other, m := anyModel(r), compositetest.Null(Kind)
		if m.Name, m.Namespace = other.Name, other.Namespace; rapid.Bool().Draw(r, "update") {
			m = anyModel(r)
		}
		objects := compositetest.Compose(r, Kind, other)
		if len(objects) == 1 {
			m.DefaultLimits = other.DefaultLimits // a LimitRange that is gone shows as drift
		}
		read := decompose(compositetest.Live(r, objects), m)
		if a, b := compositetest.Text(r, objects), compositetest.Text(r, compositetest.Compose(r, Kind, read)); !bytes.Equal(a, b) {
			r.Fatalf("%s", compositetest.Difference(string(a), string(b)))
		}
	})
}

func TestAnotherSpellingIsNoChange(t *testing.T) {
	a := compositetest.Compose(t, Kind, compositetest.Model(t, Kind, head+"cpu: 1000m\nmemory: 1024Mi"))
	b := compositetest.Compose(t, Kind, compositetest.Model(t, Kind, head+"cpu: \"1\"\nmemory: 1Gi"))
	if !bytes.Equal(compositetest.Text(t, a), compositetest.Text(t, b)) {
		t.Errorf("got %s and %s", compositetest.Text(t, a), compositetest.Text(t, b))
	}
}

func TestAnythingInAQuotaIsReadWithoutPanic(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		m := anyModel(r)
		live := compositetest.Live(r, compositetest.Compose(r, Kind, m))
		at := rapid.SampledFrom(live).Draw(r, "object")
		field := rapid.SampledFrom(append(ownership.Leaves(at.Object), "spec", "metadata", "spec.hard", "spec.limits")).Draw(r, "field")
		_ = ownership.Set(at.Object, field, rapid.SampledFrom([]any{nil, "", "x", "1e99", int64(-7), true, []any{}, map[string]any{}}).Draw(r, "value"))
		compositetest.Raw(r, Kind, decompose(live, m))
		survey(m, live)
	})
}

func TestCapsBelowWhatIsInUseAreSaid(t *testing.T) {
	m := compositetest.Model(t, Kind, full)
	object := map[string]any{}
	if err := yaml.Unmarshal([]byte(`{apiVersion: v1, kind: ResourceQuota, metadata: {name: caps, namespace: vision}, status: {used: {requests.cpu: 300500m, requests.memory: 1Ti, requests.nvidia.com/gpu: "12", pods: "201"}}}`), &object); err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, f := range survey(m, composite.Live{&unstructured.Unstructured{Object: object}}) {
		if !f.Warning {
			t.Errorf("%s is an error", f.Detail)
		}
		all = append(all, f.Path.String()+": "+f.Detail)
	}
	got := strings.Join(all, "\n")
	for _, want := range []string{"pods: The cap of pods is 200", "cpu: The cap of requests.cpu is 256, and pods of namespace vision have 300500m now", "gpus: The cap of requests.nvidia.com/gpu is 8, and pods of namespace vision have 12 now"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not said:\n%s", want, got)
		}
	}
	if len(all) != 3 || survey(m, nil) != nil || len(related(m)) != 1 {
		t.Errorf("found %q", all)
	}
}

func TestAQuotaIsNamedByClusterNamespaceAndName(t *testing.T) {
	for text, ok := range map[string]bool{"train/train:vision/caps": true, "vision/caps": true, "caps": false} {
		var m Model
		parsed, err := composite.ParseID(text, false)
		if err == nil {
			err = setID(&m, parsed)
		}
		if (err == nil) != ok || ok && id(m).String() != text {
			t.Errorf("%s: %s, %v", text, id(m), err)
		}
	}
}

func TestOnlyNameAndNamespaceMakeANewQuota(t *testing.T) {
	prior := compositetest.Model(t, Kind, full)
	for more, want := range map[string]string{"name: caps\nnamespace: vision\npods: 1": "[]", "name: x\nnamespace: vision": "[name]", "name: caps\nnamespace: x": "[namespace]", "name: (not known yet)\nnamespace: vision": "[]"} {
		if got := path.Paths(replace(prior, compositetest.Model(t, Kind, more))).String(); got != want {
			t.Errorf("%s: got %s, want %s", more, got, want)
		}
	}
}
