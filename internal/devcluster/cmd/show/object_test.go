package main

import (
	"encoding/base64"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"
)

func parse(t *testing.T, text string) object {
	t.Helper()
	var content map[string]any
	if err := yaml.Unmarshal([]byte(text), &content); err != nil {
		t.Fatal(err)
	}
	return object{unstructured.Unstructured{Object: content}}
}

func TestAnObjectSaysItsStateInAWordOrTwo(t *testing.T) {
	for name, test := range map[string]struct{ object, want string }{
		"nothing is said of an object without status": {`{kind: ConfigMap}`, ""},
		"a phase goes before conditions":              {`{status: {phase: Active, conditions: [{type: Ready, status: "True"}]}}`, "Active"},
		"a condition that holds":                      {`{status: {conditions: [{type: Synced, status: "True"}, {type: Ready, status: "True"}]}}`, "Ready"},
		"a condition that does not hold, and why":     {`{status: {conditions: [{type: Available, status: "False", reason: Starting}]}}`, "not Available: Starting"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := parse(t, test.object).state(); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestOurObjectsArePrintedAndThoseOfControllersCounted(t *testing.T) {
	objects := []object{
		parse(t, `{apiVersion: cluster.x-k8s.io/v1beta2, kind: Cluster, metadata: {name: train, namespace: geo, labels: {app.kubernetes.io/managed-by: terraform-provider-k0smos}}}`),
		parse(t, `{apiVersion: v1, kind: ConfigMap, metadata: {name: kube-root-ca.crt, namespace: geo}}`),
		parse(t, `{apiVersion: v1, kind: Secret, metadata: {name: train-ca, namespace: geo}}`),
		parse(t, `{apiVersion: v1, kind: Secret, metadata: {name: train-etcd, namespace: geo}}`),
		parse(t, `{apiVersion: v1, kind: Secret, metadata: {name: elsewhere, namespace: default}}`),
	}
	var out strings.Builder
	printCluster(&out, cluster{name: "management cluster", config: &rest.Config{Host: "https://127.0.0.1:1"}}, objects)
	want := "\nmanagement cluster (https://127.0.0.1:1)\n" +
		"  Cluster.cluster.x-k8s.io   geo/train   \n" +
		"  and, made from these by the controllers: 2 Secret\n"
	if out.String() != want {
		t.Errorf("got:\n%s\nwant:\n%s", out.String(), want)
	}
}

func TestHostedClustersAreFoundByTheirKubeconfigSecret(t *testing.T) {
	kubeconfig := `{apiVersion: v1, kind: Config, current-context: c, contexts: [{name: c, context: {cluster: c}}], clusters: [{name: c, cluster: {server: "https://127.0.0.1:2"}}]}`
	value := base64.StdEncoding.EncodeToString([]byte(kubeconfig))
	found := hostedIn([]object{
		parse(t, `{apiVersion: v1, kind: Secret, metadata: {name: train-kubeconfig, namespace: geo, labels: {cluster.x-k8s.io/cluster-name: train}}, data: {value: `+value+`}}`),
		parse(t, `{apiVersion: v1, kind: Secret, metadata: {name: other-kubeconfig, namespace: geo}, data: {value: `+value+`}}`),
		parse(t, `{apiVersion: v1, kind: Secret, metadata: {name: train-ca, namespace: geo, labels: {cluster.x-k8s.io/cluster-name: train}}}`),
	})
	if len(found) != 1 || found[0].name != "hosted cluster geo/train" || found[0].config.Host != "https://127.0.0.1:2" {
		t.Errorf("got %+v, want the hosted cluster geo/train at https://127.0.0.1:2 alone", found)
	}
}

func TestNodesArePrintedWithTheLabelsOfTheirPool(t *testing.T) {
	objects := []object{
		parse(t, `{apiVersion: v1, kind: Namespace, metadata: {name: default}}`),
		parse(t, `{apiVersion: v1, kind: Node, metadata: {name: system-1, labels: {k0smos.io/site: frankfurt}}, status: {conditions: [{type: MemoryPressure, status: "False"}, {type: Ready, status: "False", reason: KubeletNotReady}]}}`),
		parse(t, `{apiVersion: v1, kind: Node, metadata: {name: quebec-1, labels: {k0smos.io/site: quebec, node.cluster.x-k8s.io/k0smos-host: quebec.gpu01, topology.kubernetes.io/region: ca, topology.kubernetes.io/zone: a, k0smos.io/gpu-model: A100, kai.scheduler/node-pool: q}},
                    spec: {taints: [{key: nvidia.com/gpu, value: present, effect: NoSchedule}, {key: x, effect: NoExecute}]}, status: {conditions: [{type: Ready, status: "True"}]}}`),
	}
	var out strings.Builder
	printNodes(&out, objects)
	want := "\n" +
		"  NODE       STATE                        SITE        HOST           REGION   ZONE   GPU    SCHEDULER POOL   TAINTS\n" +
		"  system-1   not Ready: KubeletNotReady   frankfurt   -              -        -      -      -                -\n" +
		"  quebec-1   Ready                        quebec      quebec.gpu01   ca       a      A100   q                nvidia.com/gpu=present:NoSchedule, x:NoExecute\n"
	if out.String() != want {
		t.Errorf("got:\n%s\nwant:\n%s", out.String(), want)
	}
	out.Reset()
	if printNodes(&out, objects[:1]); out.String() != "" {
		t.Errorf("of a cluster without nodes: %q", out.String())
	}
}
