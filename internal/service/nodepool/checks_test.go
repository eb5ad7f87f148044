package nodepool

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
	"name": "gpu", "cluster": "{name: train, namespace: train}", "site": "{name: quebec, namespace: train, ssh: {secret: quebec-ssh}}", "version": "v1.35.7+k0s.0",
	"hosts": "{a: {address: 192.0.2.1}, b: {address: 192.0.2.2}, c: {address: 192.0.2.3}}",
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
		if f.Detail == "" || !strings.HasSuffix(f.Detail, ".") || strings.Contains(f.Detail, "%!") {
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
	long := strings.Repeat("x", 60)
	tests := map[string]struct {
		config string
		want   []string
	}{
		"a plain configuration is fine": {"", nil},

		// oneNamespace
		"the cluster's namespace may be written out": {`namespace: train`, nil},
		"another namespace is refused":               {`namespace: other`, []string{`namespace: Another namespace than the cluster's`}},
		"a site elsewhere is refused":                {`site: {name: quebec, namespace: sites, ssh: {secret: quebec-ssh}}`, []string{`site.namespace: Site in another namespace`}},

		// oneKindOfMachines
		"a pool needs machines":                   {`hosts: null`, []string{`hosts: No machines`}},
		"a pool may wait for its first host":      {`hosts: {}`, nil},
		"hosts and a template are two things":     {"machine_template: {api_version: a.b/v1, kind: A, name: a}", []string{`machine_template: Two kinds of machines`}},
		"machines elsewhere need a number":        {"hosts: null\nmachine_template: {api_version: a.b/v1, kind: A, name: a}", []string{`replicas: Missing replicas`}},
		"with a number they are fine":             {"hosts: null\nreplicas: 3\nsite: {name: a, namespace: train}\nmachine_template: {api_version: a.b/v1, kind: A, name: a}", nil},
		"an API version has a group":              {"hosts: null\nreplicas: 3\nmachine_template: {api_version: v1, kind: A, name: a}", []string{`machine_template.api_version: Not an API version`}},
		"a Job has no part in machines elsewhere": {"hosts: null\nreplicas: 3\nmachine_template: {api_version: a.b/v1, kind: A, name: a}\nprovision_job: {job_template: '{}'}", []string{`provision_job: Unused provision_job`, `warning: provision_job: Nothing is cleaned up`}},

		// sizes
		"fewer nodes than hosts":                  {`replicas: 2`, nil},
		"more nodes than hosts are refused":       {`replicas: 4`, []string{`replicas: More replicas than hosts`}},
		"a host that is drained does not count":   {"replicas: 2\nhosts: {a: {address: 192.0.2.1}, b: {address: 192.0.2.2, state: drain}}", []string{`replicas: More replicas than hosts`}},
		"bounds within the hosts":                 {`autoscaling: {min: 0, max: 3}`, nil},
		"bounds beyond the hosts are refused":     {`autoscaling: {min: 0, max: 4}`, []string{`autoscaling.max: More nodes than hosts`}},
		"bounds the wrong way round":              {`autoscaling: {min: 3, max: 2}`, []string{`autoscaling.min: Bounds the wrong way round`}},
		"a size and bounds are two things":        {"replicas: 2\nautoscaling: {min: 0, max: 3}", []string{`replicas: Two sizes`}},
		"hosts that are not known are not judged": {"replicas: 4\nhosts: " + compositetest.Unknown, nil},

		// rolloutMoves
		"a rollout must be able to move":   {`rollout: {max_unavailable: 0}`, []string{`rollout: A rollout that cannot move`}},
		"a surge needs a spare host":       {`rollout: {max_surge: 1}`, []string{`rollout.max_surge: No host to surge to`}},
		"with a spare host it is fine":     {"replicas: 2\nrollout: {max_surge: 1, max_unavailable: 0}", nil},
		"on_delete has no limits":          {`rollout: {strategy: on_delete, max_unavailable: 2}`, []string{`rollout: Unused limits`}},
		"on_delete alone is fine":          {`rollout: {strategy: on_delete, paused: true}`, nil},
		"a drain without end is warned of": {`drain: {timeout: 0s}`, []string{`warning: drain.timeout: Waits for ever`}},

		// hosts
		"a host's key is a part of names":             {`hosts: {GPU_1: {address: 192.0.2.1}}`, []string{`hosts["GPU_1"]: Unusable name of a host`}},
		"a host's key may have dots":                  {`hosts: {gpu01.qc: {address: 192.0.2.1}}`, nil},
		"a host's key fits into a label":              {`hosts: {` + long + `: {address: 192.0.2.1}}`, []string{`hosts["` + long + `"]: Name of a host too long`}},
		"two hosts cannot be one object":              {`hosts: {a: {address: 192.0.2.1, object_name: gpu-b}, b: {address: 192.0.2.2}}`, []string{`hosts["b"].object_name: Two hosts with one object`}},
		"a host is listed once":                       {`hosts: {a: {address: 192.0.2.1}, b: {address: 192.0.2.1}}`, []string{`hosts["b"].address: A host is listed twice`}},
		"in whatever spelling":                        {`hosts: {a: {address: 2001:db8::1}, b: {address: "2001:0db8:0::1"}}`, []string{`hosts["b"].address: A host is listed twice`}},
		"and by its name, too":                        {`hosts: {a: {address: GPU.example.net}, b: {address: gpu.example.net.}}`, []string{`hosts["b"].address: A host is listed twice`}},
		"the site's port counts":                      {"site: {name: quebec, namespace: train, ssh: {port: 2222, secret: quebec-ssh}}\nhosts: {a: {address: 192.0.2.1}, b: {address: 192.0.2.1, port: 2222}}", []string{`hosts["b"].address: A host is listed twice`}},
		"another port is another host":                {`hosts: {a: {address: 192.0.2.1}, b: {address: 192.0.2.1, port: 2222}}`, nil},
		"one that is drained may come back elsewhere": {`hosts: {a: {address: 192.0.2.1, state: drain}, b: {address: 192.0.2.1}}`, nil},
		"hosts need a key":                            {`site: {name: quebec, namespace: train}`, []string{`site.ssh: No key for the hosts`}},
		"only hosts are built anew":                   {`reprovision: {z: "1"}`, []string{`reprovision["z"]: No such host`}},
		"and none that is drained":                    {"hosts: {a: {address: 192.0.2.1, state: drain}}\nreprovision: {a: '1'}", []string{`reprovision["a"]: A host that is drained`}},
		"labels of hosts have no prefix":              {`hosts: {a: {address: 192.0.2.1, labels: {example.com/rack: r1}}}`, []string{`hosts["a"].labels["example.com/rack"]: A label of a host has no prefix`}},
		"the name of a host is the provider's":        {`hosts: {a: {address: 192.0.2.1, labels: {k0smos-host: r1}}}`, []string{`hosts["a"].labels["k0smos-host"]: A label of the provider's`}},
		"a label has one value":                       {"labels: {node.cluster.x-k8s.io/rack: r0}\nhosts: {a: {address: 192.0.2.1, labels: {rack: r1}}}", []string{`hosts["a"].labels["rack"]: Two values of a label`}},

		// labels and taints
		"labels of one's own":                    {`labels: {team: vision, example.com/team: vision}`, nil},
		"roles go through Machines":              {`labels: {node-role.kubernetes.io/gpu: "", node-restriction.kubernetes.io/a: b, x.node-restriction.kubernetes.io/a: b, node.cluster.x-k8s.io/a: b}`, nil},
		"labels that a kubelet may set":          {`labels: {node.kubernetes.io/instance-type: a, topology.kubernetes.io/zone: z, kubelet.kubernetes.io/x: a}`, nil},
		"labels that no node can get":            {`labels: {kubernetes.io/role: gpu}`, []string{`labels["kubernetes.io/role"]: A label that no node can get`}},
		"the name of a node is its own":          {`labels: {kubernetes.io/hostname: a}`, []string{`labels["kubernetes.io/hostname"]: A label that no node can get`}},
		"labels of applications are for objects": {`labels: {app.kubernetes.io/part-of: a}`, []string{`labels["app.kubernetes.io/part-of"]: A label that no node can get`}},
		"labels of the provider":                 {`labels: {k0smos.io/site: a}`, []string{`labels["k0smos.io/site"]: A label of the provider's`}},
		"labels that partition cards":            {`labels: {nvidia.com/mig.config: all-1g.10gb}`, []string{`labels["nvidia.com/mig.config"]: A label that partitions cards`}},
		"in every way":                           {`labels: {nvidia.com/device-plugin.config: a, nvidia.com/gpu.deploy.driver: "true", nvidia.com/gpu.deploy.container-toolkit: "true", dcm.amd.com/gpu-config-profile: a}`, []string{`labels["dcm.amd.com/gpu-config-profile"]: A label that partitions cards`, `labels["nvidia.com/device-plugin.config"]: A label that partitions cards`, `labels["nvidia.com/gpu.deploy.container-toolkit"]: A label that partitions cards`, `labels["nvidia.com/gpu.deploy.driver"]: A label that partitions cards`}},
		"labels of Cluster API":                  {`labels: {cluster.x-k8s.io/cluster-name: a}`, []string{`labels["cluster.x-k8s.io/cluster-name"]: A label of Cluster API's`}},
		"labels that an attribute sets":          {"scheduler_pool: a\nlabels: {kai.scheduler/node-pool: a}", []string{`labels["kai.scheduler/node-pool"]: A label that an attribute sets`}},
		"a zone is the site's where it has one":  {"site: {name: a, namespace: train, zone: z, ssh: {secret: s}}\nlabels: {topology.kubernetes.io/zone: other}", []string{`labels["topology.kubernetes.io/zone"]: A label that an attribute sets`}},
		"a region becomes a label":               {"site: {name: a, namespace: train, region: 'eu west', ssh: {secret: s}}", []string{`site.region: Not a label value`}},
		"a pool of the scheduler becomes one":    {"scheduler_pool: 'a b'", []string{`scheduler_pool: Not a label value`}},
		"taints":                                 {`taints: {nvidia.com/gpu: {value: present}, a: {effect: NoExecute}}`, nil},
		"a key of a taint":                       {`taints: {"a b": {}}`, []string{`taints["a b"]: Not a taint key`}},
		"a value of a taint":                     {`taints: {a: {value: "$(reboot)"}}`, []string{`taints["a"].value: Not a taint value`}},
		"taints of Kubernetes":                   {`taints: {node.kubernetes.io/not-ready: {}}`, []string{`taints["node.kubernetes.io/not-ready"]: A taint of Kubernetes'`}},

		// workers
		"a file needs content":                  {`files: {/etc/a: {}}`, []string{`files["/etc/a"]: A file without content`}},
		"a file has one source":                 {`files: {/etc/a: {content: a, secret: {name: a, key: b}}}`, []string{`files["/etc/a"]: A file with two contents`}},
		"a file has an absolute path":           {`files: {etc/a: {content: a}}`, []string{`files["etc/a"]: Not a path of a file`}},
		"in its shortest form":                  {`files: {/etc/../a: {content: a}}`, []string{`files["/etc/../a"]: Not a path of a file`}},
		"the script for addresses is ours":      {"node_ip_cidr: 10.0.0.0/8\nfiles: {/etc/k0smos/node-ip: {content: a}}", []string{`files["/etc/k0smos/node-ip"]: A file of the provider's`}},
		"the drop-in is ours with runtime host": {"gpu: {vendor: nvidia, model: A100-80GB, per_node: 1, runtime: host}\nfiles: {/etc/k0s/containerd.d/nvidia.toml: {content: a}}", []string{`files["/etc/k0s/containerd.d/nvidia.toml"]: A file of the provider's`}},
		"arguments":                             {`worker_args: ["--profile=gpu", "--debug", "--x=a b"]`, nil},
		"labels are no argument":                {`worker_args: ["--labels=a=b"]`, []string{`worker_args[0]: An argument that is set already`}},
		"nor is the token":                      {`worker_args: ["--token-file", "/a"]`, []string{`worker_args[0]: An argument that is set already`}},
		"an argument is a line":                 {`worker_args: ["a\nb"]`, []string{`worker_args[0]: Not an argument`}},
		"arguments of the kubelet are in one":   {`worker_args: ["--kubelet-extra-args", "--v=2"]`, []string{`worker_args[0]: Arguments of the kubelet apart`}},
		"and nothing that a shell reads":        {`worker_args: ["--kubelet-extra-args=--x=$(reboot)"]`, []string{`worker_args[0]: Characters that a shell would read`}},
		"a node has one address":                {"node_ip_cidr: 10.0.0.0/8\nworker_args: ['--kubelet-extra-args=--node-ip=10.0.0.1']", []string{`worker_args[0]: Two addresses of a node`}},
		"an empty command":                      {`pre_k0s_commands: ["true", " "]`, []string{`pre_k0s_commands[1]: An empty command`}},
		"k0s comes from one place":              {`k0s: {download_url: "https://a/b", pre_installed: true}`, []string{`k0s.download_url: Two places of k0s`}},
		"a Job is a JSON object":                {`provision_job: {job_template: '[]'}`, []string{`provision_job.job_template: Not a JSON object`}},
		"a Job cleans up nothing":               {`provision_job: {job_template: '{}'}`, []string{`warning: provision_job: Nothing is cleaned up`}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := checked(compositetest.Model(t, Kind, with(test.config))); !slices.Equal(got, test.want) {
				t.Errorf("got  %q\nwant %q", got, test.want)
			}
		})
	}
}

// A plan in which something is not known yet is not refused for it.
func TestAConfigurationIsJudgedByWhatIsKnown(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		config := rapid.SampledFrom(sortedConfigs()).Draw(r, "configuration")
		raw := hide(r, compositetest.Raw(r, Kind, compositetest.Model(r, Kind, configs[config])))
		m := compositetest.FromRaw(r, Kind, raw)
		derive(&m, nil)
		for _, check := range checks {
			for _, f := range check(m) {
				if !f.Warning {
					r.Fatalf("%s: %s", f.Path, f.Detail)
				}
			}
		}
		for _, transition := range transitions {
			for _, f := range transition(compositetest.Model(r, Kind, configs[config]), m) {
				if !f.Warning {
					r.Fatalf("%s: %s", f.Path, f.Detail)
				}
			}
		}
	})
}

func sortedConfigs() []string {
	var out []string
	for name := range configs {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// hide makes some values unknown, at any depth.
func hide(r *rapid.T, v tftypes.Value) tftypes.Value {
	out, err := tftypes.Transform(v, func(at *tftypes.AttributePath, v tftypes.Value) (tftypes.Value, error) {
		if len(at.Steps()) > 0 && !v.IsNull() && rapid.IntRange(0, 9).Draw(r, "hidden") == 0 {
			return tftypes.NewValue(v.Type(), tftypes.UnknownValue), nil
		}
		return v, nil
	})
	if err != nil {
		r.Fatalf("%v", err)
	}
	return out
}
