package standin

import (
	"context"
	"fmt"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/tools/clientcmd"
)

const (
	machineNameLabel = "k0smotron.io/machine-name"
	notReadyTaint    = "node.kubernetes.io/not-ready"
)

// reconcileNode plays the kubelet of a Machine's host, which makes the Node, and the operator, which writes the provider
// ID into it. Deleting the Node is Cluster API's work.
func (s *StandIn) reconcileNode(ctx context.Context, ref Ref) (time.Duration, error) {
	h, address, runs := s.hosts.running(ref)
	if !runs || h.Problem != "" {
		return 0, nil
	}
	client, err := s.hostedClient(h.cluster)
	if err != nil || client == nil {
		return soon, err
	}
	nodesThere := client.Resource(nodes.resource)
	node, err := nodesThere.Get(ctx, ref.Name, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err) && h.joined:
		return 0, nil
	case apierrors.IsNotFound(err) && s.hosts.mode(address).dark:
		return 0, nil
	case apierrors.IsNotFound(err):
		if node, err = nodesThere.Create(ctx, h.node(ref.Name), metav1.CreateOptions{FieldManager: "kubelet"}); err != nil {
			return 0, err
		}
		s.hosts.change(address, func(h *host) { h.joined = true })
		s.logf("%s joined as node %s", address, ref.Name)
	case err != nil:
		return 0, err
	}
	mode := s.hosts.mode(address)
	if err := reportNode(ctx, client, node, h, mode); err != nil {
		return 0, err
	}
	owner, err := s.find(ctx, machine, ref)
	if err != nil || owner == nil {
		return 0, err
	}
	if owner.GetDeletionTimestamp() != nil && !mode.dark {
		return soon, endPods(ctx, client, ref.Name)
	}
	return 0, giveProviderID(ctx, client, owner)
}

// unheard is what a cluster says of a Node whose kubelet is silent.
var unheard = condition{"Ready", "Unknown", "NodeStatusUnknown", "Kubelet stopped posting node status."}

// node is what a kubelet registers.
func (h *host) node(name string) *unstructured.Unstructured {
	labels := map[string]any{"kubernetes.io/hostname": name, "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64"}
	for key, value := range h.labels {
		labels[key] = value
	}
	node := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": nodes.apiVersion(),
		"kind":       nodes.name,
		"metadata":   map[string]any{"name": name, "labels": labels},
		"spec":       map[string]any{},
	}}
	if len(h.taints) > 0 {
		put(node.Object, h.taints, "spec", "taints")
	}
	return node
}

// reportNode writes what a kubelet says of its node, and takes the taint off that keeps pods away until it is ready. In
// a real cluster that is the node lifecycle controller's work.
func reportNode(ctx context.Context, client dynamic.Interface, node *unstructured.Unstructured, h host, mode hostMode) error {
	ready := condition{"Ready", "True", "KubeletReady", "kubelet is posting ready status"}
	switch {
	case mode.dark:
		ready = unheard
	case mode.notReady:
		ready = condition{"Ready", "False", "KubeletNotReady", "container runtime network not ready"}
	}
	if getCondition(node, "Ready").status != ready.status {
		for _, c := range []condition{
			{"MemoryPressure", "False", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"},
			{"DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"},
			{"PIDPressure", "False", "KubeletHasSufficientPID", "kubelet has sufficient PID available"},
			ready,
		} {
			setNodeCondition(node, c)
		}
		resources := h.resources(mode)
		put(node.Object, resources, "status", "capacity")
		put(node.Object, resources, "status", "allocatable")
		put(node.Object, []any{
			map[string]any{"type": "InternalIP", "address": h.address},
			map[string]any{"type": "Hostname", "address": node.GetName()},
		}, "status", "addresses")
		put(node.Object, kubeletVersion(h.version), "status", "nodeInfo", "kubeletVersion")
		put(node.Object, "linux", "status", "nodeInfo", "operatingSystem")
		put(node.Object, "amd64", "status", "nodeInfo", "architecture")
		var err error
		if node, err = client.Resource(nodes.resource).UpdateStatus(ctx, node, metav1.UpdateOptions{FieldManager: "kubelet"}); err != nil {
			return err
		}
	}
	taints, _ := lookup[[]any](node.Object, "spec", "taints")
	var kept []any
	for _, taint := range taints {
		if m, ok := taint.(map[string]any); !ok || text(m, "key") != notReadyTaint {
			kept = append(kept, taint)
		}
	}
	if len(kept) == len(taints) || ready.status != "True" {
		return nil
	}
	put(node.Object, kept, "spec", "taints")
	_, err := client.Resource(nodes.resource).Update(ctx, node, metav1.UpdateOptions{FieldManager: "kube-controller-manager"})
	return err
}

// setNodeCondition writes a condition of a Node, which has a heartbeat and no generation.
func setNodeCondition(node *unstructured.Unstructured, c condition) {
	setCondition(node, c)
	list, _ := lookup[[]any](node.Object, "status", "conditions")
	for _, entry := range list {
		if m, ok := entry.(map[string]any); ok {
			delete(m, "observedGeneration")
			m["lastHeartbeatTime"] = time.Now().UTC().Format(time.RFC3339)
		}
	}
}

// giveProviderID writes into a Node which Machine it is, as soon as Cluster API knows that itself.
func giveProviderID(ctx context.Context, client dynamic.Interface, owner *unstructured.Unstructured) error {
	id := text(owner.Object, "spec", "providerID")
	node, err := client.Resource(nodes.resource).Get(ctx, owner.GetName(), metav1.GetOptions{})
	if err != nil || id == "" || text(node.Object, "spec", "providerID") != "" {
		return err
	}
	put(node.Object, id, "spec", "providerID")
	_, err = client.Resource(nodes.resource).Update(ctx, node, metav1.UpdateOptions{FieldManager: fieldManager})
	return err
}

// endPods ends the pods of a node that is drained, as far as somebody has told them to end.
func endPods(ctx context.Context, client dynamic.Interface, node string) error {
	list, err := client.Resource(pods.resource).List(ctx, metav1.ListOptions{FieldSelector: "spec.nodeName=" + node})
	if err != nil {
		return err
	}
	for _, pod := range list.Items {
		if pod.GetDeletionTimestamp() == nil {
			continue
		}
		now := metav1.DeleteOptions{GracePeriodSeconds: new(int64)}
		err := client.Resource(pods.resource).Namespace(pod.GetNamespace()).Delete(ctx, pod.GetName(), now)
		if err != nil && !apierrors.IsNotFound(err) {
			return err
		}
	}
	return nil
}

// stopKubelet lets a Node say that nothing is heard of its kubelet any more.
func (s *StandIn) stopKubelet(ctx context.Context, cluster Ref, name string) {
	client, err := s.hostedClient(cluster)
	if err == nil && client != nil {
		var node *unstructured.Unstructured
		node, err = client.Resource(nodes.resource).Get(ctx, name, metav1.GetOptions{})
		if err == nil {
			setNodeCondition(node, unheard)
			_, err = client.Resource(nodes.resource).UpdateStatus(ctx, node, metav1.UpdateOptions{FieldManager: "kube-controller-manager"})
		}
	}
	if err != nil && !apierrors.IsNotFound(err) {
		s.logf("node %s of %s: %v", name, cluster, err)
	}
}

// kubeletVersion is how the kubelet of k0s spells its version.
func kubeletVersion(version string) string {
	release, _, suffixed := strings.Cut(version, "+k0s")
	if !suffixed {
		release, _, _ = strings.Cut(version, "-k0s")
	}
	return release + "+k0s"
}

// hostedClient is an administrator's access to a hosted cluster; nil while it does not run.
func (s *StandIn) hostedClient(cluster Ref) (dynamic.Interface, error) {
	hosted := s.fleet.running(cluster)
	if hosted == nil {
		return nil, nil
	}
	s.clientsLock.Lock()
	defer s.clientsLock.Unlock()
	if known := s.clients[hosted]; known != nil {
		return known, nil
	}
	content, err := kubeconfigOf(cluster.Name, hosted)
	if err != nil {
		return nil, err
	}
	config, err := clientcmd.RESTConfigFromKubeConfig(content)
	if err != nil {
		return nil, fmt.Errorf("access to %s: %w", cluster, err)
	}
	config.QPS, config.Timeout = -1, 3*time.Second
	client, err := dynamic.NewForConfig(config)
	if err == nil {
		s.clients[hosted] = client
	}
	return client, err
}
