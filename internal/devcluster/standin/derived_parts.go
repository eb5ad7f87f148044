package standin

import (
	"context"
	"crypto/md5"
	"fmt"
	"maps"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// findAddress fills the external address of a control plane that is exposed by a load balancer or node port and has
// none: a node's, or for a load balancer the one of the options.
func (s *StandIn) findAddress(ctx context.Context, derived *unstructured.Unstructured) error {
	exposed := text(derived.Object, "spec", "service", "type")
	if text(derived.Object, "spec", "externalAddress") != "" || (exposed != "LoadBalancer" && exposed != "NodePort") {
		return nil
	}
	address := s.options.Address
	if exposed == "NodePort" {
		list, err := s.client.Resource(nodes.resource).List(ctx, metav1.ListOptions{})
		if err != nil {
			return err
		}
		if found := nodeAddress(list.Items); found != "" {
			address = found
		}
	}
	put(derived.Object, address, "spec", "externalAddress")
	return nil
}

// nodeAddress is the first external address of any node, else the first internal one.
func nodeAddress(nodes []unstructured.Unstructured) string {
	var internal string
	for _, node := range nodes {
		addresses, _ := lookup[[]any](node.Object, "status", "addresses")
		for _, entry := range addresses {
			m, _ := entry.(map[string]any)
			switch text(m, "type") {
			case "ExternalIP", "ExternalDNS":
				return text(m, "address")
			case "InternalIP":
				if internal == "" {
					internal = text(m, "address")
				}
			}
		}
	}
	return internal
}

func addCertificateRef(derived *unstructured.Unstructured, purpose string) {
	refs, _ := lookup[[]any](derived.Object, "spec", "certificateRefs")
	for _, entry := range refs {
		if m, ok := entry.(map[string]any); ok && m["type"] == purpose {
			return
		}
	}
	put(derived.Object, append(slices.Clone(refs), map[string]any{
		"type": purpose,
		"name": derived.GetName() + "-" + purpose,
	}), "spec", "certificateRefs")
}

// selector selects the control plane pods.
func selector(derived *unstructured.Unstructured) string {
	labels := podLabels(derived)
	labels["cluster.x-k8s.io/control-plane"] = "true"
	var parts []string
	for _, key := range slices.Sorted(maps.Keys(labels)) {
		parts = append(parts, key+"="+labels[key])
	}
	return strings.Join(parts, ",")
}

// shortName is how the operator fits the names of what it makes into the 63 characters of a label.
func shortName(name string) string {
	if len(name) <= 63 {
		return name
	}
	return name[:57] + "-" + fmt.Sprintf("%x", md5.Sum([]byte(name)))[:5]
}

// counted is what the K0smotronControlPlane has said of the pods: steps that the real operator needs minutes for are
// not done before it has.
type counted struct{ pods, version bool }

// countedByOwner reads the status of the control plane that a derived Cluster belongs to; without one there is nobody
// to wait for.
func (s *StandIn) countedByOwner(ctx context.Context, derived *unstructured.Unstructured, w workload) (counted, error) {
	for _, owner := range derived.GetOwnerReferences() {
		if !controlPlane.owns(owner) {
			continue
		}
		kcp, err := s.find(ctx, controlPlane, Ref{derived.GetNamespace(), owner.Name})
		if err != nil || kcp == nil {
			return counted{}, err
		}
		return counted{
			pods:    number(kcp.Object, "status", "replicas") == w.pods,
			version: text(kcp.Object, "status", "version") != "",
		}, nil
	}
	return counted{pods: true, version: true}, nil
}

// wakeOwners has the control plane of a derived Cluster look at the pods again.
func (s *StandIn) wakeOwners(derived *unstructured.Unstructured) {
	for _, ref := range controllersOf(controlPlane)(derived) {
		s.enqueue(controlPlane, ref)
	}
}

// restore finds the pods of a cluster that an earlier stand-in had brought up.
func (s *StandIn) restore(ref Ref, derived *unstructured.Unstructured) workload {
	w := s.workloads.of(ref)
	ready := number(derived.Object, "status", "readyReplicas")
	if w.created || ready == 0 {
		return w
	}
	return s.workloads.change(ref, func(w *workload) {
		w.created, w.pods, w.ready = true, ready, ready
		w.version = text(derived.Object, "spec", "version")
		w.issued = isTrue(derived, "KubeconfigSecretAvailable")
	})
}

// stopLater ends a hosted cluster without making the other controllers wait.
func (s *StandIn) stopLater(ref Ref) {
	s.running.Go(func() {
		if err := s.fleet.stop(ref); err != nil {
			s.logf("stopping %s: %v", ref, err)
		}
	})
}
