package standin

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// observation is what one look at a derived Cluster's parts has found.
type observation struct {
	service    bool
	pods       *podCount // nil: no StatefulSet
	kubeconfig bool
	deleting   string // the reason, while it is being deleted
}

type podCount struct{ total, ready int64 }

const readTheLog = "Check controller logs for more details"

// derivedStatus writes what was observed into a derived Cluster's status.
func derivedStatus(derived *unstructured.Unstructured, o observation) {
	wanted := number(derived.Object, "spec", "replicas")
	if o.pods != nil {
		setCount(derived, o.pods.total, "replicas")
		setCount(derived, o.pods.total, "updatedReplicas")
		setCount(derived, o.pods.ready, "readyReplicas")
		put(derived.Object, selector(derived), "status", "selector")
		if o.pods.ready == wanted {
			put(derived.Object, true, "status", "deprecated", "v1beta1", "ready")
		} else {
			unstructured.RemoveNestedField(derived.Object, "status", "deprecated", "v1beta1", "ready")
		}
	}
	for _, c := range []condition{
		scaling(o, wanted),
		upToDate(o, wanted),
		exposed(o, text(derived.Object, "spec", "externalAddress")),
		kubeconfigAvailable(o),
		functional(o),
		certificatesAvailable(derived),
		deleting(o),
	} {
		setCondition(derived, c)
	}
	setCondition(derived, summary(derived, "ControlPlaneFunctional", "KubeconfigSecretAvailable", "ControlPlaneExposed"))
}

// setCount writes a counter as Go's omitempty does: zero is absent.
func setCount(derived *unstructured.Unstructured, n int64, field string) {
	if n == 0 {
		unstructured.RemoveNestedField(derived.Object, "status", field)
		return
	}
	put(derived.Object, n, "status", field)
}

func scaling(o observation, wanted int64) condition {
	c := condition{"ControlPlaneScaling", "False", "ControlPlaneWithDesiredReplicas", ""}
	switch {
	case o.pods == nil:
		c.reason, c.message = "NotFound", readTheLog
	case wanted > o.pods.total:
		c.status, c.reason = "True", "ScalingUp"
		c.message = fmt.Sprintf("Control plane is scaling up: %d/%d replicas required", o.pods.total, wanted)
	case wanted < o.pods.total:
		c.status, c.reason = "True", "ScalingDown"
		c.message = fmt.Sprintf("Control plane is scaling down: %d/%d replicas desired", o.pods.total, wanted)
	}
	return c
}

func upToDate(o observation, wanted int64) condition {
	c := condition{"ControlPlaneUpToDate", "True", "AllReplicasUpToDate", ""}
	switch {
	case o.pods == nil:
		c.status, c.reason, c.message = "False", "NotFound", readTheLog
	case wanted != o.pods.total:
		c.status, c.reason = "False", "NotAllReplicasUpToDate"
		c.message = fmt.Sprintf("Control plane is updating: %d/%d replicas with desired template", o.pods.total, wanted)
	}
	return c
}

func exposed(o observation, address string) condition {
	c := condition{"ControlPlaneExposed", "True", "ClusterWithExternalAddress", ""}
	switch {
	case !o.service:
		c.status, c.reason, c.message = "Unknown", "NotFound", readTheLog
	case address == "":
		c.status, c.message = "False", "Waiting for external address. "+readTheLog+"."
	}
	return c
}

func kubeconfigAvailable(o observation) condition {
	c := condition{"KubeconfigSecretAvailable", "False", "InternalError", "Please check controller logs for errors"}
	switch {
	case o.kubeconfig:
		c.status, c.reason, c.message = "True", "Created", ""
	case o.pods == nil:
		c.message = "Control plane StatefulSet not found"
	case o.pods.ready == 0:
		c.reason, c.message = "NoReadyReplicas", "It is needed to have at least 1 ready replica to generate the workload kubeconfig"
	}
	return c
}

func functional(o observation) condition {
	c := condition{"ControlPlaneFunctional", "False", "KubeSystemNamespaceFound", "Waiting for kubeconfig secret to be available"}
	switch {
	case o.pods == nil:
		c.reason, c.message = "NotFound", readTheLog
	case o.kubeconfig:
		c.status, c.message = "True", ""
	}
	return c
}

func certificatesAvailable(derived *unstructured.Unstructured) condition {
	if refs, _ := lookup[[]any](derived.Object, "spec", "certificateRefs"); len(refs) == 0 {
		return condition{"CertificatesAvailable", "False", "NotFound", readTheLog}
	}
	return condition{"CertificatesAvailable", "True", "Created", ""}
}

func deleting(o observation) condition {
	if o.deleting != "" {
		return condition{"Deleting", "True", o.deleting, ""}
	}
	return condition{"Deleting", "False", "NotDeleting", ""}
}

// summary makes Available of the conditions that it depends on: what is false is told first, then what is unknown.
func summary(derived *unstructured.Unstructured, of ...string) condition {
	var issues, unknowns []string
	for _, kind := range of {
		c := getCondition(derived, kind)
		line := "* " + kind + ": " + c.message
		switch c.status {
		case "False":
			issues = append(issues, line)
		case "Unknown":
			unknowns = append(unknowns, line)
		}
	}
	all := strings.Join(append(issues, unknowns...), "\n")
	switch {
	case len(issues) > 0:
		return condition{"Available", "False", "IssuesReported", all}
	case len(unknowns) > 0:
		return condition{"Available", "Unknown", "UnknownReported", all}
	}
	return condition{"Available", "True", "InfoReported", ""}
}
