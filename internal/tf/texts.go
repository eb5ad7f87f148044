package tf

import "fmt"

// Text has the descriptions of the attributes that all resources share, so that each is worded once.
var Text = struct {
	ID, Name, Namespace, CreateNamespace, Labels, Annotations              string
	Wait, WaitFailure, Adopt, OnDestroy, DeletionProtection                string
	Objects, EffectiveLabels, Revision, Drift, Manifests                   string
	Cluster, ClusterName, ClusterNamespace, ClusterUID                     string
	ObjectGroup, ObjectKind, ObjectNamespace, ObjectName                   string
	DriftObject, DriftField, DriftWanted, DriftLive, DriftManager, Timeout string
}{
	ID: "Import id of the resource: `[<cluster namespace>/<cluster name>:][<apiVersion>/<Kind>:][<namespace>/]<name>`, with the parts that " +
		"this resource needs. Follows from the configuration, so it is known in the plan.",
	Name: "Name of the object in Kubernetes, and the start of the names of the objects made with it: lower case letters, digits and hyphens. " +
		"A change replaces the resource.",
	Namespace: "Namespace in which the objects live. A change replaces the resource.",
	CreateNamespace: "Whether to make the namespace if it is missing. It is removed on destroy only if this provider made it, nothing else " +
		"is in it by then, and the credentials allow to look. Changed in place; disturbs nothing.",
	Labels: "Labels put on every object of this resource, over the provider's `default_labels`; a map of label key to value (at most 63 characters). " +
		"Labels that others put on the objects are left alone. Unset: none of its own. Changed in place; disturbs nothing.",
	Annotations: "Annotations put on every object of this resource; a map of annotation key to text, at most 256 KiB together. " +
		"Annotations that others put on the objects are left alone. Unset: none of its own. Changed in place; disturbs nothing.",
	Wait: "Whether apply waits until the objects are ready, and destroy until they are gone, within `timeouts`. With `false` apply ends once the " +
		"API server has accepted the objects, and what depends on them may fail. Default `true`. Changed in place; disturbs nothing.",
	WaitFailure: "What a wait that fails, times out or is interrupted during create does. `warning` (default): a warning says what was not ready, " +
		"the resource is kept, and the next apply resumes the wait in place. `error`: the apply fails, for pipelines that need its exit code; Terraform then marks " +
		"the resource as tainted and plans to replace it, unless `terraform untaint` is run first. In an update such a wait is always an error, which taints nothing. Changed in place; disturbs nothing.",
	Adopt: "Whether create may take over objects that exist already. With `false` an existing object is an error that names its manager and owner. " +
		"With `true` the given fields become this resource's and all others stay as they are. Objects that Helm, Flux, Argo CD, Sveltos or kcm own " +
		"are refused either way. Default `false`. Matters at create, and again if another state takes the object; a change by itself disturbs nothing.",
	OnDestroy: "What destroy does with the objects. `delete`: deletes them and waits until they are gone. `release`: leaves the objects and gives up what " +
		"this resource holds in them: values stay as they are, except that fields added by `adopt` are taken off again, without a former value coming back. " +
		"Default `delete`; `release` with `adopt = true`. An object that was imported has `delete`, too. " +
		"Changed in place; disturbs nothing. The value in state counts: apply a change before the destroy.",
	DeletionProtection: "Whether destroying or replacing the resource is an error in the plan. The value in state counts: switching it off is an apply " +
		"of its own before the destroy. Changed in place; disturbs nothing.",
	Objects: "The objects that this resource is made of. Follows from the configuration, so it is known in the plan.",
	EffectiveLabels: "The provider's `default_labels` with `labels` over them. The label by which the provider knows its own objects, " +
		"`app.kubernetes.io/managed-by`, is not listed.",
	Revision: "Hash of what was last applied and waited for. It is unknown in the plan when objects will change without a change of an attribute " +
		"(a new version of the provider, `default_labels`) or when an earlier wait is resumed. That never replaces anything.",
	Drift: "Differences that the last refresh found in fields of this resource and that no attribute shows; empty when there are none. Apply takes them " +
		"back, those fields only. Fields of others never appear here. Values of free-form content and of Secrets are shown as hashes.",
	Manifests: "The objects as YAML, by `<Kind>/<namespace>/<name>`, without secrets, for review in the plan. Null unless the provider sets " +
		"`plan_manifests`.",
	Cluster: "The hosted cluster that the objects are in, reached through its kubeconfig Secret in the management cluster: usually the attribute " +
		"`cluster` of a hosted control plane; by hand, `name` and `namespace` are enough. Unset: the management cluster. A change to another " +
		"cluster replaces the resource.",
	ClusterName:      "Name of the Cluster API Cluster. The kubeconfig is in the Secret `<name>-kubeconfig`.",
	ClusterNamespace: "Namespace of the Cluster API Cluster in the management cluster.",
	ClusterUID: "UID of the Cluster API Cluster, which tells a rebuilt cluster from the one before. May be left out when written by hand. " +
		"A change of a known UID means another cluster, and replaces the resource.",
	ObjectGroup:     "API group, empty for the core group.",
	ObjectKind:      "Kind of the object, such as `ConfigMap`.",
	ObjectNamespace: "Namespace, null for objects that have none.",
	ObjectName:      "Name of the object.",
	DriftObject:     "The object, as `<Kind>/<namespace>/<name>`.",
	DriftField:      "Path of the field, such as `spec.replicas`; empty when the whole object is missing.",
	DriftWanted:     "Value that this resource applied.",
	DriftLive:       "Value in the cluster, null if the field is gone.",
	DriftManager:    "Field manager that changed it, such as `kubectl-edit`, null if there is none.",
	Timeout: "Longest time for each operation, waits included: Go durations such as `90s`, `15m` or `1h30m`. When it runs out, the message says what was " +
		"not ready and why. Changed in place; disturbs nothing.",
}

// Timeout describes the time limit of one operation ("create", "update", "delete") and its default.
func Timeout(operation, fallback string) string {
	return fmt.Sprintf("Longest time for %s, its waits included: a Go duration such as `90s`, `15m` or `1h30m`. Default %s.", operation, fallback)
}

// Default is a description with the default of the attribute, where resources differ in it.
func Default(text string, value any) string { return fmt.Sprintf("%s Default `%v`.", text, value) }
