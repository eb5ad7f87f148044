// Package kubeconfig hands out access to a hosted cluster for one run: the admin's, or a short-lived token of a service
// account. Neither is ever in a plan or a state.
package kubeconfig

import (
	"fmt"
	"net/url"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/path"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k0smos/terraform-provider-k0smos/internal/api/clusterapi"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/core"
	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

// Kind is the k0smos_kubeconfig ephemeral resource.
var Kind = composite.Ephemeral[Model]{
	Name:     "kubeconfig",
	Schema:   ephemeralSchema,
	Checks:   []composite.Check[Model]{longEnough},
	Needs:    needs,
	Target:   func(m Model) tf.Object[composite.ClusterRef] { return m.Cluster },
	Request:  tokenRequest,
	Open:     open,
	Patience: 2 * time.Minute,
	Dialects: []composite.Dialect{{Group: clusterapi.ClusterKind.Group, Version: clusterapi.ClusterKind.Version, Operator: "Cluster API 1.11 or later"}},
}

// needs: the Cluster says whether this is the cluster that is meant and whether it can be used; the Secret comes earlier
// than that. Only the Cluster is watched: whoever may read a Secret need not be allowed to list all of them.
func needs(m Model) []composite.Need {
	ref, _ := m.Cluster.Get()
	namespace, name := ref.Namespace.ValueString(), ref.Name.ValueString()
	return []composite.Need{
		{
			Ref: composite.Ref{Kind: clusterapi.ClusterKind, Namespace: namespace, Name: name},
			Absent: composite.Finding{Path: path.Root("cluster"), Summary: "There is no hosted cluster " + namespace + "/" + name,
				Detail: "The management cluster has no Cluster of Cluster API with this name. List those that exist: kubectl get clusters.cluster.x-k8s.io -A\n\n" +
					"If it is made in the same run, write cluster = k0smos_hosted_control_plane.<name>.cluster. Its uid is not known before the cluster exists, so Terraform opens this only afterwards; " +
					"with name and namespace by hand it is opened in the plan already, and depends_on does not change that."},
			Ready: func(live map[string]any) composite.ReadyState { return usable(live, ref.UID.ValueString()) },
			Unready: composite.Finding{Path: path.Root("cluster"), Warning: true, Summary: "Hosted cluster " + namespace + "/" + name + " cannot be used yet",
				Detail: "Its API server has not answered Cluster API so far, so what uses this kubeconfig may fail. Look at its conditions: kubectl describe clusters.cluster.x-k8s.io -n " + namespace + " " + name + "\n\n" +
					"To wait longer, set timeouts { open = \"10m\" }."},
		},
		{
			Ref: composite.Ref{Kind: core.SecretKind, Namespace: namespace, Name: name + "-kubeconfig"},
			Absent: composite.Finding{Path: path.Root("cluster"), Summary: "Hosted cluster " + namespace + "/" + name + " has no kubeconfig yet",
				Detail: fmt.Sprintf("The Secret %s/%s-kubeconfig does not exist; its control plane has not come that far. Look at it: kubectl describe clusters.cluster.x-k8s.io -n %s %s\n\n"+
					"If this stops a plan that would mend the control plane, apply that first, alone: terraform apply -target=k0smos_hosted_control_plane.<name>", namespace, name, namespace, name)},
		},
	}
}

// usable: an API server that has answered once counts as usable for good; whether it answers right now shows at its use.
func usable(live map[string]any, uid string) composite.ReadyState {
	if now, _, _ := unstructured.NestedString(live, "metadata", "uid"); uid != "" && uid != now {
		return composite.ReadyState{Failed: true, Why: fmt.Sprintf("it was made anew: its UID is %s, and cluster.uid is %s. Refresh the state that cluster.uid comes from, or leave it out", now, uid)}
	}
	if done, _, _ := unstructured.NestedBool(live, "status", "initialization", "controlPlaneInitialized"); done {
		return composite.ReadyState{Ready: true}
	}
	if going, _, _ := unstructured.NestedString(live, "metadata", "deletionTimestamp"); going != "" {
		return composite.ReadyState{Failed: true, Why: "it is being deleted and never came up"}
	}
	_, _, message := composite.ConditionOf(live, clusterapi.ConditionControlPlaneInitialized)
	if message == "" {
		message = "Cluster API has not seen the control plane answer yet"
	}
	return composite.ReadyState{Why: message}
}

// tokenRequest asks for a token of the service account, if one is named.
func tokenRequest(m Model) (composite.Request, bool) {
	account, ok := m.ServiceAccount.Get()
	if !ok {
		return composite.Request{}, false
	}
	ref, _ := m.Cluster.Get()
	namespace, name := account.Namespace.ValueString(), account.Name.ValueString()
	spec := map[string]any{"expirationSeconds": int64(lifetime(account) / time.Second)}
	if audiences := account.Audiences.Known(); len(audiences) > 0 {
		list := make([]any, 0, len(audiences))
		for _, a := range audiences {
			list = append(list, a.ValueString())
		}
		spec["audiences"] = list
	}
	return composite.Request{
		Doing: fmt.Sprintf("issue a token for service account %s/%s", namespace, name),
		Path:  fmt.Sprintf("/api/v1/namespaces/%s/serviceaccounts/%s/token", url.PathEscape(namespace), url.PathEscape(name)),
		Body:  map[string]any{"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": spec},
		Missing: composite.Finding{Path: path.Root("service_account"), Summary: "There is no service account " + namespace + "/" + name,
			Detail: fmt.Sprintf("The hosted cluster %s/%s has no service account of this name. Make it with k0smos_manifest, together with what it may do.\n\n"+
				"If it is made in the same run in a cluster that exists already, this must wait for it by an argument that is not known before: "+
				"name = k0smos_manifest.<name>.revision != \"\" ? %q : null. depends_on does not make an ephemeral resource wait in every version of Terraform.",
				ref.Namespace.ValueString(), ref.Name.ValueString(), name)},
	}, true
}

// lifetime is how long a token is asked for, in whole seconds.
func lifetime(a ServiceAccount) time.Duration {
	d, ok := a.Expiration.Get()
	if !ok {
		return defaultLifetime
	}
	return (d + time.Second - 1).Truncate(time.Second)
}

// longEnough: the API server issues no token for less than ten minutes.
func longEnough(m Model) []composite.Finding {
	account, ok := m.ServiceAccount.Get()
	if !ok {
		return nil
	}
	if d, known := account.Expiration.Get(); known && (d < shortestLifetime || d > longestLifetime) {
		return []composite.Finding{{Path: path.Root("service_account").AtName("expiration"), Summary: "Invalid lifetime of a token",
			Detail: fmt.Sprintf("%q is not allowed: Kubernetes issues tokens for %s or longer, up to 2^32 seconds. Example: \"1h\".", account.Expiration.ValueString(), "10m")}}
	}
	return nil
}
