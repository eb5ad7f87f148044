package nodepool

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
	"github.com/k0smos/terraform-provider-k0smos/internal/composite/compositetest"
	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

func TestAChangeIsJudgedByWhatRunsNow(t *testing.T) {
	rolls := func(at string) []string { return []string{"warning: " + at + ": Replaces 3 hosts one by one"} }
	two := `hosts: {a: {address: 192.0.2.1}, b: {address: 192.0.2.2}}`
	tests := map[string]struct {
		prior, plan string
		want        []string
	}{
		"nothing changes": {``, ``, nil},

		// hostsReplaced
		"another version":                           {``, `version: 1.35.8`, rolls("version")},
		"an older one as well":                      {``, `version: 1.34.3`, rolls("version")},
		"another spelling is no change":             {``, `version: 1.35.7`, nil},
		"other files":                               {``, `files: {/etc/a: {content: a}}`, rolls("files")},
		"other commands":                            {``, `pre_k0s_commands: ["true"]`, rolls("pre_k0s_commands")},
		"other arguments":                           {``, `worker_args: ["--debug"]`, rolls("worker_args")},
		"another place of k0s":                      {``, `k0s: {pre_installed: true}`, rolls("k0s")},
		"another network":                           {``, `node_ip_cidr: 10.0.0.0/8`, rolls("node_ip_cidr")},
		"several changes are one rollout":           {``, "version: 1.35.8\nworker_args: ['--debug']", rolls("templates")},
		"several hosts at a time":                   {``, "version: 1.35.8\nrollout: {max_unavailable: 2}", []string{"warning: version: Replaces 3 hosts at most 2 hosts at a time"}},
		"hosts that join are no replaced ones":      {two, `version: 1.35.8`, []string{"warning: version: Replaces 2 hosts one by one"}},
		"nor are those that leave":                  {``, "version: 1.35.8\n" + two, []string{"warning: version: Replaces 2 hosts one by one", "warning: hosts: Releases 1 host"}},
		"a pool of none replaces none":              {`hosts: {}`, `version: 1.35.8`, nil},
		"nor does one that becomes empty":           {``, "version: 1.35.8\nreplicas: 0", nil},
		"a scaled pool has as many as it has":       {`autoscaling: {min: 0, max: 3}`, "version: 1.35.8\nautoscaling: {min: 0, max: 3}", []string{"warning: version: Replaces up to 3 hosts one by one"}},
		"a paused rollout replaces nothing":         {``, "version: 1.35.8\nrollout: {paused: true}", []string{"warning: version: Hosts change when the rollout goes on"}},
		"nor does on_delete by itself":              {``, "version: 1.35.8\nrollout: {strategy: on_delete}", []string{"warning: version: Hosts change when their Machine is deleted"}},
		"labels and drains change in place":         {``, "labels: {team: a}\nannotations: {a: b}\nscheduler_pool: a\ndrain: {timeout: 1h}\ntaints: {a: {}}", nil},
		"so do the size and the health check":       {``, "replicas: 2\nhealth_check: {}", nil},
		"and a model of the cards":                  {`gpu: {vendor: nvidia, model: A100-80GB, per_node: 8}`, `gpu: {vendor: nvidia, model: A100-40GB, per_node: 8}`, nil},
		"a version that is not known is not judged": {``, `version: ` + compositetest.Unknown, nil},

		// hostsReleased
		"a host is removed":           {``, two, []string{"warning: hosts: Releases 1 host"}},
		"two hosts are removed":       {``, `hosts: {a: {address: 192.0.2.1}}`, []string{"warning: hosts: Releases 2 hosts"}},
		"a host is drained":           {``, `hosts: {a: {address: 192.0.2.1}, b: {address: 192.0.2.2}, c: {address: 192.0.2.3, state: drain}}`, []string{"warning: hosts: Releases 1 host"}},
		"a host is added":             {two, ``, nil},
		"another address":             {``, `hosts: {a: {address: 192.0.2.1}, b: {address: 192.0.2.2}, c: {address: 192.0.2.33}}`, []string{`warning: hosts["c"]: Replaces the host c`}},
		"another key of an object":    {``, `hosts: {a: {address: 192.0.2.1}, b: {address: 192.0.2.2}, z: {address: 192.0.2.3, object_name: gpu-c}}`, nil},
		"and back to its own name":    {`hosts: {a: {address: 192.0.2.1}, b: {address: 192.0.2.2}, z: {address: 192.0.2.3, object_name: gpu-c}}`, ``, nil},
		"another key and address":     {``, `hosts: {a: {address: 192.0.2.1}, b: {address: 192.0.2.2}, z: {address: 192.0.2.33, object_name: gpu-c}}`, []string{"warning: hosts: Releases 1 host"}},
		"another key of a new object": {``, `hosts: {a: {address: 192.0.2.1}, b: {address: 192.0.2.2}, z: {address: 192.0.2.3}}`, []string{"warning: hosts: Releases 1 host"}},
		"another port":                {``, `hosts: {a: {address: 192.0.2.1}, b: {address: 192.0.2.2}, c: {address: 192.0.2.3, port: 2222}}`, []string{`warning: hosts["c"]: Replaces the host c`}},
		"a default port written out":  {``, `hosts: {a: {address: 192.0.2.1}, b: {address: 192.0.2.2}, c: {address: 192.0.2.3, port: 22}}`, nil},
		"another user and labels":     {``, `hosts: {a: {address: 192.0.2.1}, b: {address: 192.0.2.2}, c: {address: 192.0.2.3, user: k0s, labels: {a: b}}}`, nil},
		"a host is built anew":        {``, `reprovision: {c: "1"}`, []string{`warning: reprovision["c"]: Rebuilds the host c`}},
		"once":                        {`reprovision: {c: "1"}`, `reprovision: {c: "1"}`, nil},
		"and again":                   {`reprovision: {c: "1"}`, `reprovision: {c: "2"}`, []string{`warning: reprovision["c"]: Rebuilds the host c`}},
		"a trigger is taken away":     {`reprovision: {c: "1"}`, ``, nil},
		"hosts that are not known":    {``, `hosts: ` + compositetest.Unknown, nil},

		// others
		"a pool keeps its kind of machines": {``, "hosts: null\nreplicas: 1\nmachine_template: {api_version: a.b/v1, kind: A, name: a}", []string{"machine_template: A pool keeps its kind of machines", "warning: machine_template: Replaces 1 host one by one", "warning: hosts: Releases 3 hosts"}},
		"another site":                      {``, `site: {name: atlanta, namespace: train, ssh: {secret: atlanta-ssh}}`, []string{"warning: site: Another site for the same hosts"}},
		"a taint that evicts":               {`taints: {a: {}}`, `taints: {a: {effect: NoExecute}}`, []string{`warning: taints["a"]: Evicts pods`}},
		"bounds instead of a size":          {``, `autoscaling: {min: 0, max: 3}`, nil},
		"a size instead of bounds":          {`autoscaling: {min: 0, max: 3}`, `replicas: 2`, []string{"warning: autoscaling: Takes the size back"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			prior, plan := poolOf(t, test.prior), compositetest.Model(t, Kind, with(test.plan))
			derive(&plan, &prior)
			var got []string
			for _, transition := range transitions {
				got = append(got, summaries(transition(prior, plan))...)
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("got  %q\nwant %q", got, test.want)
			}
		})
	}
}

func TestOnlyAnotherNameOrClusterIsAnotherPool(t *testing.T) {
	for config, want := range map[string]string{
		"": "", "version: 1.36.0": "", "name: other": "name", "namespace: train": "", "cluster: {name: train, namespace: train, uid: new}": "",
		"cluster: {name: other, namespace: train}": "cluster.name", "cluster: {name: train, namespace: other}": "cluster.namespace", "cluster: " + compositetest.Unknown: "",
	} {
		var got []string
		for _, at := range replace(poolOf(t, ""), poolOf(t, config)) {
			got = append(got, at.String())
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q replaces for %v", config, got)
		}
	}
}

func TestTimeoutsGrowWithHostsAndTheirDrain(t *testing.T) {
	small, large, slow, fast := limits(poolOf(t, "")), limits(poolOf(t, many200())), limits(poolOf(t, "drain: {timeout: 2h}")), limits(poolOf(t, "rollout: {max_unavailable: 3}"))
	if small.Update != 20*time.Minute+3*31*time.Minute || small.Create != 23*time.Minute || small.Delete != 44*time.Minute {
		t.Errorf("three hosts: %+v", small)
	}
	if large.Update <= 50*small.Update || slow.Update <= 3*2*time.Hour || slow.Delete <= 2*time.Hour || fast.Update >= small.Update {
		t.Errorf("200 hosts: %+v; slow ones: %+v; three at a time: %+v", large, slow, fast)
	}
	if limits(compositetest.Null(Kind)).Create == 0 {
		t.Error("nothing has no limit")
	}
}

func many200() string {
	var b strings.Builder
	b.WriteString("hosts:\n")
	for i := range 200 {
		fmt.Fprintf(&b, "  h%03d: {address: 10.1.%d.%d}\n", i, i/100, i%100)
	}
	return b.String()
}

// With 200 hosts nothing is compared each with each: what composes and judges twice the hosts takes about twice the work.
func TestLargePoolsComposeInLinearTime(t *testing.T) {
	work := func(hosts int) float64 {
		m := poolOf(t, "")
		all := map[string]tf.Object[Host]{}
		for i := range hosts {
			all[fmt.Sprintf("h%d", i)] = tf.ObjectOf(Host{Address: types.StringValue(fmt.Sprintf("h%d.example.net", i)), Labels: tf.NullMap[types.String]()})
		}
		m.Hosts = tf.MapOf(all)
		return testing.AllocsPerRun(1, func() {
			if n := len(composed(t, m)); n != hosts+3 {
				t.Fatalf("%d objects", n)
			}
			for _, check := range checks {
				if found := check(m); len(found) > 0 {
					t.Fatal(found)
				}
			}
			hostsReleased(m, m)
			hostsElsewhere(m, nil)
		})
	}
	if a, b := work(200), work(400); b > 2.3*a {
		t.Errorf("400 hosts take %.0f allocations and 200 take %.0f", b, a)
	}
}

func TestTemplatesAreNamedByWhatChangesAHost(t *testing.T) {
	name := func(prior *Model, config string) string {
		m := compositetest.Model(t, Kind, with(config))
		derive(&m, prior)
		templates, _ := m.Templates.Get()
		return templates.Bootstrap.ValueString()
	}
	gpu := "gpu: {vendor: nvidia, model: A100-80GB, per_node: 8, memory: 80Gi"
	want := name(nil, gpu+"}")
	for what, config := range map[string]string{
		"labels": gpu + "}\nlabels: {team: a}", "annotations": gpu + "}\nannotations: {a: b}", "taints": gpu + "}\ntaints: {a: {}}", "hosts": gpu + "}\nhosts: {z: {address: 192.0.2.9, labels: {a: b}}}",
		"size": gpu + "}\nreplicas: 1", "bounds": gpu + "}\nautoscaling: {min: 0, max: 1}", "scheduler pool": gpu + "}\nscheduler_pool: a", "rollout": gpu + "}\nrollout: {strategy: on_delete, paused: true}",
		"drain": gpu + "}\ndrain: {timeout: 1h}", "health check": gpu + "}\nhealth_check: {}", "reprovision": gpu + "}\nreprovision: {a: '1'}", "spelling": gpu + "}\nversion: 1.35.7",
		"site": gpu + "}\nsite: {name: other, namespace: train, region: x, ssh: {user: k0s, secret: s}}", "defaults": gpu + ", runtime: operator, partitioning: {mode: none}}\nk0s: {pre_installed: false}\nfiles: {}\nworker_args: []",
		"model and memory": "gpu: {vendor: nvidia, model: A100-40GB, per_node: 4}", "force_release": gpu + "}\nforce_release: true",
	} {
		if got := name(nil, config); got != want {
			t.Errorf("%s moves the templates from %s to %s", what, want, got)
		}
	}
	seen := map[string]string{want: "nothing"}
	for what, config := range map[string]string{
		"version": gpu + "}\nversion: 1.35.8", "runtime": gpu + ", runtime: host}", "partitioning": gpu + ", partitioning: {mode: mig, profile: 1g.10gb}}", "files": gpu + "}\nfiles: {/a: {content: a}}",
		"permissions": gpu + "}\nfiles: {/a: {content: a, permissions: '0600'}}", "secret": gpu + "}\nfiles: {/a: {secret: {name: a, key: b}}}", "pre": gpu + "}\npre_k0s_commands: [a]", "post": gpu + "}\npost_k0s_commands: [a]",
		"arguments": gpu + "}\nworker_args: [--a]", "download": gpu + "}\nk0s: {download_url: 'https://a/b'}", "pre-installed": gpu + "}\nk0s: {pre_installed: true}",
		"job": gpu + "}\nprovision_job: {job_template: '{}'}", "network": gpu + "}\nnode_ip_cidr: 10.0.0.0/8",
	} {
		got := name(nil, config)
		if other, twice := seen[got]; twice {
			t.Errorf("%s and %s have the same templates %s", what, other, got)
		}
		seen[got] = what
	}
	prior := poolOf(t, gpu+"}")
	templates, _ := prior.Templates.Get()
	templates.Bootstrap, templates.Infrastructure = types.StringValue("by-hand-1"), types.StringValue("by-hand-2")
	prior.Templates = tf.ObjectOf(templates)
	if got := name(&prior, gpu+"}\nlabels: {a: b}"); got != "by-hand-1" {
		t.Errorf("names that others gave become %s", got)
	}
	if got := name(&prior, gpu+"}\nversion: 1.35.8"); got == "by-hand-1" {
		t.Error("another version keeps them")
	}
	templates.Fingerprint = types.StringValue(adoptedTemplates)
	prior.Templates = tf.ObjectOf(templates)
	if got := name(&prior, gpu+"}\nlabels: {a: b}"); got != "by-hand-1" {
		t.Errorf("the first declaration of an adopted fleet makes %s", got)
	}
	if got := name(&prior, gpu+"}\nversion: 1.36.2"); got == "by-hand-1" {
		t.Error("another version keeps the templates of an adopted fleet")
	}
	if got := name(&prior, gpu+"}\nname: other"); got == "by-hand-1" {
		t.Error("another pool has the templates of this one")
	}
}

// Written out, a default is what it is when left out.
func TestADefaultThatIsWrittenOutReplacesNoHost(t *testing.T) {
	for short, long := range map[string]string{
		"provision_job: {job_template: '{}'}":                  "provision_job: {job_template: '{ }', ssh_command: ssh, scp_command: scp}",
		"files: {/a: {content: a}}":                            "files: {/a: {content: a, permissions: '0644'}}",
		"files: {/b: {content: a}}":                            "files: {/b: {content: a, permissions: '644'}}",
		"gpu: {vendor: nvidia, model: A100-80GB, per_node: 8}": "gpu: {vendor: nvidia, model: A100-80GB, per_node: 8, runtime: operator, partitioning: {mode: none}}",
		"gpu: {vendor: nvidia, model: A100-80GB, per_node: 8, partitioning: {mode: mig, profile: 1g.10gb}}": "gpu: {vendor: nvidia, model: A100-80GB, per_node: 8, partitioning: {mode: mig, profile: 1g.10gb, strategy: single}}",
		"gpu: {vendor: amd, model: MI300X, per_node: 8, partitioning: {mode: amd_partition, profile: spx}}": "gpu: {vendor: amd, model: MI300X, per_node: 8, partitioning: {mode: amd_partition, profile: SPX_NPS1, strategy: single}}",
		"replicas: 3":            "k0s: {pre_installed: false}\nfiles: {}\nworker_args: []\npre_k0s_commands: []\npost_k0s_commands: []\nreplicas: 3",
		"version: v1.35.7+k0s.0": "version: 1.35.7",
	} {
		if a, b := fingerprintOf(poolOf(t, short)), fingerprintOf(poolOf(t, long)); a != b {
			t.Errorf("%s has another fingerprint than %s", long, short)
		}
	}
}

// The names are those of the declarations. A change of the golden values here means that an upgrade of the provider replaces
// every host out there.
func TestFingerprintsNeverMove(t *testing.T) {
	golden := map[string]string{}
	for name, config := range configs {
		golden[name] = fingerprintOf(compositetest.Model(t, Kind, config))
	}
	compositetest.File(t, "testdata/fingerprints/fingerprints.yaml", marshal(t, golden))
}

func TestAPoolDoesNotRollForTheMarksOfTheProvider(t *testing.T) {
	objects := compositetest.Compose(t, Kind, compositetest.Model(t, Kind, quebec))
	want := composite.Revision(objects)
	for i := range objects {
		objects[i].Kind.Version, objects[i].Content["apiVersion"] = "v1beta1", objects[i].Kind.Group+"/v1beta1"
	}
	if got := composite.Revision(objects); got != want {
		t.Error("another dialect has another revision")
	}
}
