package devcluster

import (
	"context"
	"errors"
	"os"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	"github.com/k0smos/terraform-provider-k0smos/internal/devcluster/kubeapi"
	"github.com/k0smos/terraform-provider-k0smos/internal/devcluster/pki"
	"github.com/k0smos/terraform-provider-k0smos/internal/devcluster/standin"
)

// launchHosted starts another API server as a hosted cluster, under the CA that the cluster's Secret holds.
func (c *Cluster) launchHosted(ctx context.Context, ref standin.Ref, pair pki.Pair) (*standin.Hosted, error) {
	ca, err := pki.ParseCA(pair.CertPEM, pair.KeyPEM)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(c.dir(hostedDir), 0o700); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp(c.dir(hostedDir), ref.Namespace+"-"+ref.Name+"-")
	if err != nil {
		return nil, err
	}
	server, err := kubeapi.Start(ctx, kubeapi.Options{Dir: dir, Binary: c.paths.APIServer, CA: ca})
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	stop := func() error { return errors.Join(server.Kill(), os.RemoveAll(dir)) }
	uid, err := kubeSystemUID(ctx, server)
	if err != nil {
		return nil, errors.Join(err, stop())
	}
	kubeconfig, err := server.KubeconfigFor("admin", "system:masters")
	if err != nil {
		return nil, errors.Join(err, stop())
	}
	return &standin.Hosted{
		Server: server.Endpoint(), CA: ca.CertPEM, AdminKubeconfig: kubeconfig, KubeSystemUID: uid, Stop: stop,
	}, nil
}

func kubeSystemUID(ctx context.Context, server *kubeapi.Server) (string, error) {
	client, err := dynamic.NewForConfig(server.RESTConfig())
	if err != nil {
		return "", err
	}
	namespaces := client.Resource(schema.GroupVersionResource{Version: "v1", Resource: "namespaces"})
	namespace, err := namespaces.Get(ctx, metav1.NamespaceSystem, metav1.GetOptions{})
	if err != nil {
		return "", err
	}
	return string(namespace.GetUID()), nil
}
