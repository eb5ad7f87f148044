package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// ownedLabel is what every object that the provider creates carries.
const ownedLabel, ownedValue = "app.kubernetes.io/managed-by", "terraform-provider-k0smos"

// A cluster is one that can be listed as a whole.
type cluster struct {
	name   string
	config *rest.Config
}

// An object is one object of a cluster and what is said of it here.
type object struct {
	unstructured.Unstructured
}

// transient kinds come and go by themselves and say nothing about what somebody made.
var transient = map[string]bool{
	"Event": true, "Lease": true, "Endpoints": true, "EndpointSlice": true, "ComponentStatus": true, "IPAddress": true,
}

// objects lists everything in the cluster, sorted by kind and name.
func (c cluster) objects(ctx context.Context) ([]object, error) {
	found, err := discovery.NewDiscoveryClientForConfig(c.config)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.name, err)
	}
	kinds, err := found.ServerPreferredResources()
	if err != nil {
		return nil, fmt.Errorf("list the kinds of the %s: %w", c.name, err)
	}
	client, err := dynamic.NewForConfig(c.config)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.name, err)
	}
	var all []object
	for _, group := range kinds {
		gv, err := schema.ParseGroupVersion(group.GroupVersion)
		if err != nil {
			return nil, err
		}
		for _, kind := range group.APIResources {
			if transient[kind.Kind] || !slices.Contains(kind.Verbs, "list") {
				continue
			}
			list, err := client.Resource(gv.WithResource(kind.Name)).List(ctx, metav1.ListOptions{})
			if err != nil {
				return nil, fmt.Errorf("list %s of the %s: %w", kind.Name, c.name, err)
			}
			for _, item := range list.Items {
				all = append(all, object{item})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b object) int { return strings.Compare(a.key(), b.key()) })
	return all, nil
}

// hostedIn finds the clusters that are hosted by the one which holds these objects, by their kubeconfig Secrets.
func hostedIn(objects []object) []cluster {
	var hosted []cluster
	for _, o := range objects {
		name, is := strings.CutSuffix(o.GetName(), "-kubeconfig")
		if o.GetKind() != "Secret" || !is || o.GetLabels()["cluster.x-k8s.io/cluster-name"] != name {
			continue
		}
		if content := secretValue(o, "value"); content != nil {
			if c, err := hostedCluster(o.GetNamespace()+"/"+name, content); err == nil {
				hosted = append(hosted, c)
			}
		}
	}
	return hosted
}

func hostedCluster(name string, kubeconfig []byte) (cluster, error) {
	config, err := clientcmd.RESTConfigFromKubeConfig(kubeconfig)
	if err != nil {
		return cluster{}, fmt.Errorf("the kubeconfig of the hosted cluster %s cannot be read", name)
	}
	config.Timeout = 10 * time.Second
	return cluster{name: "hosted cluster " + name, config: quiet(config)}, nil
}
