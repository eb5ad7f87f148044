package kube

import (
	"context"
	"encoding/base64"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"
)

var secrets = Kind{Version: "v1", Kind: "Secret", Resource: "secrets", Namespaced: true}

// hostedConfig reads the kubeconfig of a hosted cluster from its Secret in the management cluster.
func (p *Pool) hostedConfig(ctx context.Context, ref Ref) (*rest.Config, error) {
	key := Key{Kind: secrets, Namespace: ref.Namespace, Name: ref.Name + "-kubeconfig"}
	secret, err := p.management.Get(ctx, key)
	where := fmt.Sprintf("the kubeconfig Secret %s/%s (in the %s)", key.Namespace, key.Name, p.management.Describe())
	if is(err, ReasonNotFound, ReasonNoNamespace) {
		return nil, &Error{Reason: ReasonHostedNotReady, Message: where + " does not exist. Either the control plane has not come up yet, " +
			"or there is no hosted cluster of this name; look with: kubectl get clusters.cluster.x-k8s.io -n " + key.Namespace}
	}
	if err != nil {
		e := *AsError(err)
		e.Message = "its kubeconfig Secret cannot be read: " + e.Error()
		e.Cluster, e.Object = "", ""
		return nil, &e
	}
	encoded, _, _ := unstructured.NestedString(secret.Object, "data", "value")
	if encoded == "" {
		return nil, &Error{Reason: ReasonHostedNotReady, Message: where + ` has no key "value" yet`}
	}
	content, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return nil, badConfig(where, `its key "value" is not base64`)
	}
	raw, err := parseKubeconfig(content, where)
	if err != nil {
		return nil, err
	}
	// Whoever may write this Secret must not be able to run programs or send files from where Terraform runs.
	for name, user := range raw.AuthInfos {
		if user.Exec != nil || user.AuthProvider != nil || user.TokenFile != "" || user.ClientCertificate != "" || user.ClientKey != "" {
			return nil, badConfig(where, fmt.Sprintf("user %q runs a program or names files; only credentials that stand in the Secret itself are used", name))
		}
	}
	for name, cluster := range raw.Clusters {
		if cluster.CertificateAuthority != "" {
			return nil, badConfig(where, fmt.Sprintf("cluster %q names a CA file; only certificate-authority-data is used", name))
		}
	}
	cfg, err := contextConfig(raw, "", where)
	if err != nil {
		return nil, err
	}
	if err := settle(cfg, where); err != nil {
		return nil, err
	}
	return cfg, nil
}
