package kubeconfig

import (
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k0smos/terraform-provider-k0smos/internal/api/core"
	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
)

// open fills the outputs from the kubeconfig Secret, and from the token where one was asked for.
func open(m *Model, live composite.Live, answer map[string]any) (composite.Lease, []composite.Finding) {
	ref, _ := m.Cluster.Get()
	namespace, name := ref.Namespace.ValueString(), ref.Name.ValueString()
	refuse := func(why string) (composite.Lease, []composite.Finding) {
		return composite.Lease{}, []composite.Finding{{Path: path.Root("cluster"), Summary: "Unusable kubeconfig of hosted cluster " + namespace + "/" + name,
			Detail: fmt.Sprintf("The key \"value\" of the Secret %s/%s-kubeconfig in the management cluster cannot be used: %s.\n\n"+
				"k0smotron writes this Secret. Look at its events and its log, and restore the Secret from a backup if something else has changed it.", namespace, name, why)}}
	}
	secret, ok := composite.As[core.Secret](live, core.SecretKind, "")
	if !ok || len(secret.Data["value"]) == 0 {
		return refuse("it is empty")
	}
	a, err := read(secret.Data["value"])
	if err != nil {
		return refuse(err.Error())
	}
	userName, inNamespace, expires := name+"-admin", "", a.expires()
	var lease composite.Lease
	if account, ok := m.ServiceAccount.Get(); ok {
		issued, until := tokenOf(answer)
		if issued == "" {
			return lease, []composite.Finding{{Path: path.Root("service_account"), Summary: "No token in the answer",
				Detail: "The hosted cluster " + namespace + "/" + name + " answered the TokenRequest without a token. Look whether something stands between Terraform and its API server that changes answers."}}
		}
		a.user, a.cert, a.key = user{Token: issued}, nil, nil
		inNamespace, expires = account.Namespace.ValueString(), until
		userName = inNamespace + ":" + account.Name.ValueString()
		lease = leaseOf(account, until)
	}
	text, err := a.write(name, userName, inNamespace)
	if err != nil {
		return refuse("it cannot be written again")
	}
	m.Kubeconfig = types.StringValue(text)
	m.Host = types.StringValue(a.cluster.Server)
	m.ClusterCACertificate = given(string(a.ca))
	m.ClientCertificate, m.ClientKey = given(string(a.cert)), given(string(a.key))
	m.Token = given(a.user.Token)
	m.ExpiresAt = types.StringNull()
	if !expires.IsZero() {
		m.ExpiresAt = types.StringValue(expires.UTC().Format(time.RFC3339))
	}
	return lease, nil
}

// tokenOf reads the answer to a TokenRequest.
func tokenOf(answer map[string]any) (token string, until time.Time) {
	token, _, _ = unstructured.NestedString(answer, "status", "token")
	at, _, _ := unstructured.NestedString(answer, "status", "expirationTimestamp")
	until, err := time.Parse(time.RFC3339, at)
	if err != nil {
		return token, time.Time{}
	}
	return token, until
}

func leaseOf(account ServiceAccount, until time.Time) composite.Lease {
	name := account.Namespace.ValueString() + "/" + account.Name.ValueString()
	return composite.Lease{Until: until, Ending: composite.Finding{
		Summary: "The token of service account " + name + " ends soon",
		Detail: fmt.Sprintf("It is good until %s and this run is not over yet; what still uses it then will be refused. Kubernetes cannot prolong a token.\n\n"+
			"Set service_account.expiration to more than the run takes, and run the same command again if it fails.", until.UTC().Format(time.RFC3339)),
	}}
}

func given(s string) types.String {
	if s == "" {
		return types.StringNull()
	}
	return types.StringValue(s)
}
