package standin

import (
	"context"
	"encoding/base64"
	"fmt"
	"maps"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// kubeconfigOf writes the admin kubeconfig of a hosted cluster with the names that the operator gives: one cluster
// <name>-k0s and one user <name>-admin.
func kubeconfigOf(name string, hosted *Hosted) ([]byte, error) {
	given, err := clientcmd.Load(hosted.AdminKubeconfig)
	if err != nil {
		return nil, fmt.Errorf("the launcher's kubeconfig of %s cannot be read", name)
	}
	current, ok := given.Contexts[given.CurrentContext]
	if !ok || given.AuthInfos[current.AuthInfo] == nil {
		return nil, fmt.Errorf("the launcher's kubeconfig of %s has no current context with a user", name)
	}
	cluster, user := name+"-k0s", name+"-admin"
	out := clientcmdapi.NewConfig()
	out.Clusters[cluster] = &clientcmdapi.Cluster{Server: hosted.Server, CertificateAuthorityData: hosted.CA}
	out.AuthInfos[user] = given.AuthInfos[current.AuthInfo]
	out.Contexts[user+"@"+cluster] = &clientcmdapi.Context{Cluster: cluster, AuthInfo: user}
	out.CurrentContext = user + "@" + cluster
	return clientcmd.Write(*out)
}

// writeKubeconfig makes the Secret <name>-kubeconfig lead to the hosted cluster.
func (s *StandIn) writeKubeconfig(ctx context.Context, derived *unstructured.Unstructured, hosted *Hosted) error {
	name := derived.GetName()
	content, err := kubeconfigOf(name, hosted)
	if err != nil {
		return err
	}
	found, err := s.find(ctx, secrets, Ref{derived.GetNamespace(), name + "-kubeconfig"})
	if err != nil {
		return err
	}
	if found != nil && text(found.Object, "data", "value") == base64.StdEncoding.EncodeToString(content) {
		return nil
	}
	// Whoever waits for the hosted cluster looks at the Secret, which is not watched.
	defer s.wakeOwners(derived)
	if found == nil {
		secret := newSecret(derived.GetNamespace(), name+"-kubeconfig", ownedBy(derived, derivedCluster, true),
			kubeconfigLabels(derived), map[string][]byte{"value": content})
		annotations := map[string]string{}
		maps.Copy(annotations, derived.GetAnnotations())
		extra, _, _ := unstructured.NestedStringMap(derived.Object, "spec", "kubeconfigSecretMetadata", "annotations")
		maps.Copy(annotations, extra)
		secret.SetAnnotations(annotations)
		_, err = s.create(ctx, secrets, secret)
		return err
	}
	after := found.DeepCopy()
	put(after.Object, base64.StdEncoding.EncodeToString(content), "data", "value")
	_, err = s.client.Resource(secrets.resource).Namespace(after.GetNamespace()).
		Update(ctx, after, metav1.UpdateOptions{FieldManager: fieldManager})
	return err
}

func kubeconfigLabels(derived *unstructured.Unstructured) map[string]any {
	labels := map[string]any{}
	for key, value := range podLabels(derived) {
		labels[key] = value
	}
	labels["app.kubernetes.io/component"] = "kubeconfig"
	return labels
}

// podLabels are the labels of everything that belongs to a control plane.
func podLabels(derived *unstructured.Unstructured) map[string]string {
	labels := map[string]string{"app": "k0smotron", "cluster": derived.GetName()}
	maps.Copy(labels, derived.GetLabels())
	extra, _, _ := unstructured.NestedStringMap(derived.Object, "spec", "kubeconfigSecretMetadata", "labels")
	maps.Copy(labels, extra)
	labels["component"] = "cluster"
	return labels
}

// ping asks the hosted cluster, by way of its kubeconfig Secret, for the UID of kube-system.
func (s *StandIn) ping(ctx context.Context, cluster Ref) (string, error) {
	secret, err := s.get(ctx, secrets, Ref{cluster.Namespace, cluster.Name + "-kubeconfig"})
	if err != nil {
		return "", err
	}
	content, err := base64.StdEncoding.DecodeString(text(secret.Object, "data", "value"))
	if err != nil {
		return "", err
	}
	config, err := clientcmd.RESTConfigFromKubeConfig(content)
	if err != nil {
		return "", err
	}
	config.Timeout = 3 * time.Second
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return "", err
	}
	namespaces := newKind("", "v1", "Namespace", "namespaces")
	namespace, err := client.Resource(namespaces.resource).Get(ctx, "kube-system", metav1.GetOptions{})
	if err != nil {
		return "", err
	}
	return string(namespace.GetUID()), nil
}
