package nodepool_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/terraform"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/k0smos/terraform-provider-k0smos/internal/acctest"
	"github.com/k0smos/terraform-provider-k0smos/internal/api"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/clusterapi"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/core"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/infrastructure"
	"github.com/k0smos/terraform-provider-k0smos/internal/kube"
)

// yard is a hosted cluster in a namespace of its own that tests share. Each has its own pool and hosts.
type yard struct {
	*acctest.ManagementCluster
	uid    string // of the Cluster
	hosted dynamic.Interface
}

const yardName = "yard" // of the namespace and of the cluster

var theYard struct {
	sync.Mutex
	*yard
}

const yardObjects = `
{apiVersion: v1, kind: Namespace, metadata: {name: yard}}
---
{apiVersion: v1, kind: Secret, metadata: {name: lab-ssh, namespace: yard}, stringData: {value: a key}}
---
{apiVersion: infrastructure.cluster.x-k8s.io/v1beta2, kind: RemoteCluster, metadata: {name: yard, namespace: yard}}
---
{apiVersion: controlplane.cluster.x-k8s.io/v1beta2, kind: K0smotronControlPlane, metadata: {name: yard, namespace: yard}, spec: {version: v1.35.7+k0s.0, replicas: 1, service: {type: LoadBalancer}, storage: {type: etcd}}}
---
{apiVersion: cluster.x-k8s.io/v1beta2, kind: Cluster, metadata: {name: yard, namespace: yard}, spec: {infrastructureRef: {apiGroup: infrastructure.cluster.x-k8s.io, kind: RemoteCluster, name: yard}, controlPlaneRef: {apiGroup: controlplane.cluster.x-k8s.io, kind: K0smotronControlPlane, name: yard}}}`

func openYard(t *testing.T) *yard {
	t.Helper()
	theYard.Lock()
	defer theYard.Unlock()
	if theYard.yard != nil {
		return theYard.yard
	}
	y := &yard{ManagementCluster: acctest.Cluster(t)}
	plane := kube.Key{Kind: kube.Kind(clusterapi.ClusterKind), Namespace: yardName, Name: yardName}
	y.ApplyAs(t, "acctest", strings.TrimSpace(yardObjects))
	acctest.Eventually(t, "the hosted cluster can be used", func() bool {
		cluster := y.Get(t, plane)
		return conditionOf(cluster, clusterapi.ConditionRemoteConnectionProbe) == "True" && conditionOf(cluster, clusterapi.ConditionControlPlaneInitialized) == "True"
	})
	y.uid, y.hosted = string(y.Get(t, plane).GetUID()), dialHosted(t, y.ManagementCluster, yardName, yardName)
	theYard.yard = y
	return y
}

// dialHosted is the administrator's access to a hosted cluster.
func dialHosted(t *testing.T, c *acctest.ManagementCluster, namespace, name string) dynamic.Interface {
	t.Helper()
	secret := c.Get(t, kube.Key{Kind: acctest.Secrets, Namespace: namespace, Name: name + "-kubeconfig"})
	text, _, _ := unstructured.NestedString(secret.Object, "data", "value")
	kubeconfig, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	config, err := clientcmd.RESTConfigFromKubeConfig(kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func conditionOf(object *unstructured.Unstructured, name string) string {
	list, _, _ := unstructured.NestedSlice(object.Object, "status", "conditions")
	for _, item := range list {
		if c, ok := item.(map[string]any); ok && c["type"] == name {
			return fmt.Sprint(c["status"])
		}
	}
	return ""
}

// lot is one pool of the yard, and its hosts, whose addresses differ in the last part.
type lot struct {
	*yard
	name, namespace, provider, net string
}

const lotAddress = "k0smos_node_pool.this"

// newLot has a user who has just the documented role make the pool.
func newLot(t *testing.T, name string, net int) *lot {
	t.Helper()
	y := openYard(t)
	return &lot{yard: y, name: name, namespace: yardName, provider: y.LeastRole(t), net: fmt.Sprintf("198.18.%d.", net)}
}

// config is the pool with these lines, and version 1.35 unless they say another.
func (l *lot) config(lines ...string) string {
	return l.provider + l.pool(lines...)
}

func (l *lot) pool(lines ...string) string {
	text := strings.Join(lines, "\n  ")
	if !strings.Contains(text, "version ") {
		text = "version = \"v1.35.7+k0s.0\"\n  " + text
	}
	return fmt.Sprintf(`
resource "k0smos_node_pool" "this" {
  name    = %[2]q
  cluster = { name = %[1]q, namespace = %[1]q, uid = %[4]q }
  site    = { name = "lab", namespace = %[1]q, region = "ca-quebec", ssh = { secret = "lab-ssh" } }
  %[3]s
}
`, yardName, l.name, text, l.uid)
}

// hosts writes the attribute: "a1" is the host a with the address that ends in 1; what follows a colon are its other attributes.
func (l *lot) hosts(hosts ...string) string {
	out := make([]string, 0, len(hosts))
	for _, h := range hosts {
		host, more, _ := strings.Cut(h, ":")
		out = append(out, fmt.Sprintf("%s = { address = %q%s }", host[:1], l.net+host[1:], strings.Join([]string{"", more}[:1+min(len(more), 1)], ", ")))
	}
	return "hosts = { " + strings.Join(out, ", ") + " }"
}

func (l *lot) key(kind api.Kind, name string) kube.Key {
	return kube.Key{Kind: kube.Kind(kind), Namespace: l.namespace, Name: name}
}

func (l *lot) deployment() kube.Key { return l.key(clusterapi.MachineDeploymentKind, l.name) }

// runs is what runs on each of the hosts with these last parts: Machine, and how often the host was built.
func (l *lot) runs(ends ...string) map[string]string {
	out := map[string]string{}
	for _, end := range ends {
		host := l.Dev.StandIn().Host(l.net + end)
		out[end] = fmt.Sprintf("%s, built %d times", host.Machine.Name, host.Bootstraps)
	}
	return out
}

// entries are the names of the pool's hosts in the management cluster.
func (l *lot) entries(t *testing.T) []string {
	t.Helper()
	var out []string
	for _, o := range l.list(t, l.Client, infrastructure.PooledRemoteMachineKind, l.namespace, "") {
		if pool, _, _ := unstructured.NestedString(o.Object, "spec", "pool"); pool == l.name {
			out = append(out, o.GetName())
		}
	}
	slices.Sort(out)
	return out
}

// machines are the Machines of the pool.
func (l *lot) machines(t *testing.T) []unstructured.Unstructured {
	t.Helper()
	return l.list(t, l.Client, clusterapi.MachineKind, l.namespace, l.selector())
}

func (l *lot) selector() string { return clusterapi.DeploymentNameLabel + "=" + l.name }

// nodes are the nodes of the pool in the hosted cluster.
func (l *lot) nodes(t *testing.T) []unstructured.Unstructured {
	t.Helper()
	return l.list(t, l.hosted, core.NodeKind, "", "k0smos.io/node-pool="+l.name)
}

func (l *lot) list(t *testing.T, client dynamic.Interface, kind api.Kind, namespace, selector string) []unstructured.Unstructured {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), time.Minute)
	defer cancel()
	list, err := resourceOf(client, kind, namespace).List(ctx, metav1.ListOptions{LabelSelector: selector})
	if err != nil {
		t.Fatal(err)
	}
	return list.Items
}

func resourceOf(client dynamic.Interface, kind api.Kind, namespace string) dynamic.ResourceInterface {
	all := client.Resource(schema.GroupVersionResource{Group: kind.Group, Version: kind.Version, Resource: kind.Resource})
	if namespace == "" {
		return all
	}
	return all.Namespace(namespace)
}

func (l *lot) gone(t *testing.T) func(*terraform.State) error {
	return func(*terraform.State) error {
		if left := append(l.entries(t), names(l.machines(t))...); l.Find(t, l.deployment()) != nil || len(left) > 0 {
			return fmt.Errorf("of the pool are left %q", left)
		}
		return nil
	}
}

func names(objects []unstructured.Unstructured) []string {
	var out []string
	for _, o := range objects {
		out = append(out, o.GetName())
	}
	slices.Sort(out)
	return out
}

// witness watches the Machines of a pool of that size from when all are available, until it is asked for the smallest number
// that was available at any time.
func (l *lot) witness(t *testing.T, size int) (fewest func() int) {
	t.Helper()
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	t.Cleanup(stop)
	watch, err := resourceOf(l.Client, clusterapi.MachineKind, l.namespace).Watch(ctx, metav1.ListOptions{LabelSelector: l.selector()})
	if err != nil {
		t.Fatal(err)
	}
	least, complete, ended := size, make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		up, all := map[string]bool{}, false
		for event := range watch.ResultChan() {
			machine, ok := event.Object.(*unstructured.Unstructured)
			if !ok {
				continue
			}
			up[machine.GetName()] = event.Type != "DELETED" && machine.GetDeletionTimestamp() == nil && conditionOf(machine, clusterapi.ConditionAvailable) == "True"
			n := 0
			for _, is := range up {
				if is {
					n++
				}
			}
			if !all && n == size {
				all = true
				close(complete)
			}
			if all {
				least = min(least, n)
			}
		}
	}()
	select {
	case <-complete:
	case <-time.After(time.Minute):
		t.Fatalf("the pool does not have %d Machines", size)
	}
	return func() int {
		stop()
		watch.Stop()
		<-ended
		return least
	}
}
