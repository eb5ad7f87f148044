package controlplane

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/k0smos/terraform-provider-k0smos/internal/composite/compositetest"
)

func judged(prior, plan Model) []string {
	var out []string
	for _, transition := range transitions {
		out = append(out, summaries(transition(prior, plan))...)
	}
	return out
}

func TestAChangeIsJudgedByWhatRunsNow(t *testing.T) {
	const kine = `storage: {type: kine, kine: {secret: database}}`
	restart := func(name string) []string { return []string{"warning: " + name + ": Restarts the control plane"} }
	tests := map[string]struct {
		prior, plan string
		want        []string
	}{
		"nothing changes": {``, ``, nil},

		// oneMinorUp
		"one minor version up restarts the members": {`version: 1.35.7`, `version: 1.36.1`, restart("version")},
		"a patch restarts them as well":             {`version: 1.35.7`, `version: 1.35.8`, restart("version")},
		"and so does a build":                       {`version: v1.35.7+k0s.0`, `version: v1.35.7+k0s.1`, restart("version")},
		"another spelling is no change":             {`version: 1.35.7`, `version: v1.35.7-k0s.0`, nil},
		"two minor versions up are refused":         {`version: 1.35.7`, `version: 1.37.0`, []string{`version: One minor version at a time`}},
		"and so is a major version":                 {`version: 1.35.7`, `version: 2.0.0`, []string{`version: One minor version at a time`}},
		"there is no way back":                      {`version: 1.36.1`, `version: 1.35.7`, []string{`version: k0s cannot go back`}},
		"not even by a build":                       {`version: v1.36.1+k0s.1`, `version: v1.36.1+k0s.0`, []string{`version: k0s cannot go back`}},
		"a version that is not known is not judged": {`version: 1.36.1`, `version: ` + compositetest.Unknown, nil},

		// fixedInK0s
		"the way of exposure stays":                  {`expose: {}`, `expose: {type: NodePort, external_address: a}`, []string{`expose.type: expose.type cannot change`, `warning: expose.external_address: Nodes keep the old address`}},
		"the port of the API server stays":           {`expose: {}`, `expose: {api_port: 443}`, []string{`expose.api_port: expose.api_port cannot change`}},
		"the port for konnectivity stays":            {`expose: {}`, `expose: {konnectivity_port: 443}`, []string{`expose.konnectivity_port: expose.konnectivity_port cannot change`}},
		"a default that is written out is no change": {`expose: {}`, `expose: {type: LoadBalancer, api_port: 6443, konnectivity_port: 8132}`, nil},
		"the network provider stays":                 {``, `network: {provider: calico}`, []string{`network.provider: network.provider cannot change`}},
		"addresses of pods stay":                     {``, `network: {pod_cidr: 10.9.0.0/16}`, []string{`network.pod_cidr: network.pod_cidr cannot change`}},
		"addresses of services stay":                 {``, `network: {service_cidr: 10.9.0.0/16}`, []string{`network.service_cidr: network.service_cidr cannot change`}},
		"the domain of services stays":               {``, `network: {cluster_domain: a.example.net}`, []string{`network.cluster_domain: network.cluster_domain cannot change`}},
		"defaults of the network are no change":      {``, `network: {provider: cilium, pod_cidr: 10.244.0.0/16, service_cidr: 10.96.0.0/12, cluster_domain: cluster.local, cilium: {}}`, nil},
		"the storage stays":                          {``, kine, []string{`storage.type: storage.type cannot change`}},
		"the storage class stays":                    {``, `storage: {etcd: {auto_delete: true, storage_class: fast}}`, []string{`storage.etcd.storage_class: storage.etcd.storage_class cannot change`}},
		"settings of Cilium may change":              {``, `network: {cilium: {encryption: wireguard, mtu: 1420, version: 1.18.4}}`, nil},
		"automatic deletion may change":              {``, `storage: {etcd: {auto_delete: false}}`, nil},

		// addressMoves
		"nodes keep the old address":                 {`expose: {external_address: a}`, `expose: {external_address: b}`, []string{`warning: expose.external_address: Nodes keep the old address`}},
		"that of the load balancer, too":             {`expose: {}`, `expose: {external_address: b}`, []string{`warning: expose.external_address: Nodes keep the old address`}},
		"an address that is not known is not judged": {`expose: {external_address: a}`, `expose: {external_address: ` + compositetest.Unknown + `}`, nil},

		// volumesGrow
		"volumes may grow":                  {``, `storage: {etcd: {auto_delete: true, size: 2Gi}}`, nil},
		"volumes cannot shrink":             {`storage: {etcd: {auto_delete: true, size: 2Gi}}`, ``, []string{`storage.etcd.size: Volumes cannot shrink`}},
		"the same size in another spelling": {`storage: {etcd: {auto_delete: true, size: 1Gi}}`, `storage: {etcd: {auto_delete: true, size: 1024Mi}}`, nil},

		// etcdGrows
		"more members":                       {`replicas: 1`, `replicas: 3`, nil},
		"etcd never becomes smaller":         {`replicas: 3`, `replicas: 1`, []string{`warning: replicas: etcd stays as large as it is`}},
		"a database elsewhere does not mind": {"replicas: 3\n" + kine, "replicas: 1\n" + kine, nil},

		// keysStay
		"a key that is removed stays in the cluster": {`k0s_config: '{"spec":{"images":{"repository":"a"},"x":1}}'`, `k0s_config: '{"spec":{"x":2}}'`, []string{`warning: k0s_config: Removed keys stay in the cluster`}},
		"and so does one that becomes null":          {`k0s_config: '{"spec":{"x":1}}'`, `k0s_config: '{"spec":{"x":null}}'`, []string{`warning: k0s_config: Removed keys stay in the cluster`}},
		"one that was null was never there":          {`k0s_config: '{"spec":{"x":null}}'`, ``, []string{`warning: k0s_config: Removed keys stay in the cluster`}},
		"keys may be added and changed":              {`k0s_config: '{"spec":{"x":1}}'`, `k0s_config: '{"spec":{"x":[2],"y":1}}'`, nil},
		"the last chart stays installed":             {"network: {provider: calico}\nhelm: {charts: {a: {chart: oci://b/c}}}", "network: {provider: calico}", []string{`warning: helm: The last charts stay in the cluster`}},
		"one of several goes":                        {"network: {provider: calico}\nhelm: {charts: {a: {chart: oci://b/c}, d: {chart: oci://e/f}}}", "network: {provider: calico}\nhelm: {charts: {a: {chart: oci://b/c}}}", nil},
		"beside Cilium it is never the last":         {"helm: {charts: {a: {chart: oci://b/c}}}", "", nil},

		// membersRestart
		"another placement restarts the members":  {`placement: {node_selector: {a: b}}`, `placement: {node_selector: {a: c}}`, restart("placement")},
		"other resources restart them":            {``, `resources: {requests: {cpu: 1}}`, restart("resources")},
		"the same amount in another spelling":     {`resources: {requests: {cpu: 1000m}}`, `resources: {requests: {cpu: "1"}}`, nil},
		"another name of a toleration":            {`placement: {tolerations: {a: {key: k}}}`, `placement: {tolerations: {b: {key: k, operator: Exists}}}`, nil},
		"an empty placement":                      {``, `placement: {}`, nil},
		"a label that is not known is not judged": {`placement: {node_selector: {a: b}}`, `placement: {node_selector: {a: ` + compositetest.Unknown + `}}`, nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			prior, plan := compositetest.Model(t, Kind, with(test.prior)), compositetest.Model(t, Kind, with(test.plan))
			if got := judged(prior, plan); !slices.Equal(got, test.want) {
				t.Errorf("got  %q\nwant %q", got, test.want)
			}
		})
	}
}

// A plan in which something is not known yet is judged by the rest.
func TestAnUnknownValueIsNeverAChange(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		m := anyModel(r)
		if found := judged(m, m); len(found) > 0 {
			r.Fatalf("no change is judged: %q", found)
		}
		for _, plan := range hide(r, m) {
			if found := judged(m, plan); len(found) > 0 {
				r.Fatalf("a part that is not known is judged: %q", found)
			}
			derive(&plan, &m)
			_ = replace(m, plan)
		}
	})
}

func TestOnlyANameIsReplaced(t *testing.T) {
	plan := func(lines string) Model { return compositetest.Model(t, Kind, with(lines)) }
	prior := plan("")
	tests := map[string]struct {
		plan Model
		want string
	}{
		"everything but names is changed in place": {plan("replicas: 3\nversion: 1.36.0\nexpose: {type: NodePort, external_address: a}"), ""},
		"another name":                  {plan("name: other"), "name"},
		"another namespace":             {plan("namespace: other"), "namespace"},
		"a name that is not known":      {plan("name: " + compositetest.Unknown), ""},
		"a namespace that is not known": {plan("namespace: " + compositetest.Unknown), ""},
	}
	for name, test := range tests {
		var got []string
		for _, p := range replace(prior, test.plan) {
			got = append(got, p.String())
		}
		if strings.Join(got, " ") != test.want {
			t.Errorf("%s replaces %v", name, got)
		}
	}
}
