package main

import (
	"context"
	"fmt"
	"os"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/controller-manager/pkg/informerfactory"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/controller/certificates/rootcacertpublisher"
	"k8s.io/kubernetes/pkg/controller/garbagecollector"
	"k8s.io/kubernetes/pkg/controller/namespace"
	"k8s.io/kubernetes/pkg/controller/serviceaccount"
)

// resyncAPIs is how often the garbage collector looks for new kinds. kube-controller-manager uses 30 s, which would
// make every foreground delete of a freshly installed kind wait that long.
const resyncAPIs = 2 * time.Second

// runControllers runs the controllers of kube-controller-manager without which nothing that is deleted in the
// foreground, and no namespace, would ever go away, and those that put into every namespace what is in every namespace
// elsewhere: the default service account and the ConfigMap kube-root-ca.crt. It waits for the API server and ends with
// ctx.
func runControllers(ctx context.Context, kubeconfig string) error {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return err
	}
	config.QPS = -1
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	meta, err := metadata.NewForConfig(config)
	if err != nil {
		return err
	}
	for ctx.Err() == nil {
		if err := client.RESTClient().Get().AbsPath("/readyz").Do(ctx).Error(); err == nil {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}

	typed := informers.NewSharedInformerFactory(client, 0)
	started := make(chan struct{})
	gc, err := garbagecollector.NewGarbageCollector(ctx, client, meta,
		restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(client.Discovery())),
		garbagecollector.DefaultIgnoredResources(),
		informerfactory.NewInformerFactory(typed, metadatainformer.NewSharedInformerFactory(meta, 0)), started)
	if err != nil {
		return err
	}
	ns := namespace.NewNamespaceController(ctx, client, meta, client.Discovery().ServerPreferredNamespacedResources,
		typed.Core().V1().Namespaces(), 5*time.Minute, v1.FinalizerKubernetes)

	accounts, err := serviceaccount.NewServiceAccountsController(klog.FromContext(ctx), typed.Core().V1().ServiceAccounts(),
		typed.Core().V1().Namespaces(), client, serviceaccount.DefaultServiceAccountsControllerOptions())
	if err != nil {
		return err
	}
	rootCA, err := rootcacertpublisher.NewPublisher(typed.Core().V1().ConfigMaps(), typed.Core().V1().Namespaces(), client, config.CAData)
	if err != nil {
		return err
	}

	typed.Start(ctx.Done())
	close(started)
	go accounts.Run(ctx, 1)
	go rootCA.Run(ctx, 1)
	go gc.Run(ctx, 4, resyncAPIs)
	go gc.Sync(ctx, client.Discovery(), resyncAPIs)
	ns.Run(ctx, 4)
	return nil
}

// startControllers runs the controllers beside the API server and ends the process if they cannot start.
func startControllers(kubeconfig string) {
	if err := runControllers(context.Background(), kubeconfig); err != nil {
		fmt.Fprintln(os.Stderr, "controllers:", err)
		os.Exit(1)
	}
}
