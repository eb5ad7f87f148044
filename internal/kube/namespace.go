package kube

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// enoughContents is how many objects are named before the search stops.
const enoughContents = 10

// NamespaceContents names what is in a namespace besides what every namespace has by itself; after about ten it stops. It has
// to find out all kinds that the cluster serves, so it is slow. An empty answer without an error means that the namespace is
// empty for certain: where some kind could not be looked at, there is an error, unless something else was found already.
func (c *Cluster) NamespaceContents(ctx context.Context, name string) ([]string, error) {
	kinds, blind, err := c.namespacedKinds(ctx)
	if err != nil {
		return nil, err
	}
	var mu sync.Mutex
	var found []string
	each(kinds, func(kind Kind) {
		mu.Lock()
		enough := len(found) >= enoughContents
		mu.Unlock()
		if enough {
			return
		}
		// Twice as many as needed, so that what belongs there anyway does not fill the page.
		items, _, err := c.list(ctx, kind, name, listOptions{limit: 2 * enoughContents, accept: metadataList})
		mu.Lock()
		defer mu.Unlock()
		if err != nil && !is(err, ReasonNoKind, ReasonNotFound, ReasonNoNamespace) {
			blind = append(blind, err)
		}
		for _, item := range items {
			if !native(kind, item) {
				found = append(found, Key{kind, name, item.GetName()}.String())
			}
		}
	})
	if ctx.Err() != nil {
		return nil, c.place(ended(ctx, "looking through namespace "+name))
	}
	if len(found) > 0 {
		slices.Sort(found)
		return found[:min(len(found), enoughContents)], nil
	}
	if len(blind) > 0 {
		e := *AsError(blind[0])
		e.Cluster = ""
		e.Message = fmt.Sprintf("it cannot be said whether namespace %s is empty, since %d %s could not be looked at. The first one: %s",
			name, len(blind), plural(len(blind), "kind", "kinds"), e.Error())
		e.Cluster, e.Object = c.Describe(), "Namespace/v1 "+name
		return nil, &e
	}
	return nil, nil
}

// namespacedKinds are all kinds that objects in a namespace can be of, one version each; blind are the groups that did not
// answer.
func (c *Cluster) namespacedKinds(ctx context.Context) (found []Kind, blind []error, err error) {
	var groups metav1.APIGroupList
	if err := c.document(ctx, "/apis", "list of API groups", &groups); err != nil {
		return nil, nil, err
	}
	versions := []schema.GroupVersion{{Version: "v1"}}
	for _, g := range groups.Groups {
		versions = append(versions, schema.GroupVersion{Group: g.Name, Version: g.PreferredVersion.Version})
	}
	var mu sync.Mutex
	each(versions, func(gv schema.GroupVersion) {
		list, err := c.resources(ctx, gv)
		mu.Lock()
		defer mu.Unlock()
		if err != nil && !is(err, ReasonNoKind) {
			blind = append(blind, err)
		}
		for _, r := range list {
			if r.Namespaced && !strings.Contains(r.Name, "/") && slices.Contains(r.Verbs, "list") && slices.Contains(r.Verbs, "delete") && !transientKind(gv.Group, r.Name) {
				found = append(found, Kind{Group: gv.Group, Version: gv.Version, Kind: r.Kind, Resource: r.Name, Namespaced: true})
			}
		}
	})
	return found, blind, nil
}

// transientKind tells of kinds that the system makes and removes by itself.
func transientKind(group, resource string) bool {
	switch group {
	case "":
		return resource == "events" || resource == "endpoints"
	case "events.k8s.io":
		return resource == "events"
	case "discovery.k8s.io":
		return resource == "endpointslices"
	case "coordination.k8s.io":
		return resource == "leases"
	}
	return false
}

// native tells of objects that every namespace has.
func native(kind Kind, o unstructured.Unstructured) bool {
	if kind.Group != "" {
		return false
	}
	switch kind.Kind {
	case "ConfigMap":
		return o.GetName() == "kube-root-ca.crt"
	case "ServiceAccount":
		return o.GetName() == "default"
	case "Secret": // tokens of the default service account, made by older clusters
		return o.GetAnnotations()["kubernetes.io/service-account.name"] == "default"
	}
	return false
}

// each calls do for all items, a few at a time, and returns when all calls have.
func each[T any](items []T, do func(T)) {
	const workers = 8
	next := make(chan T)
	var all sync.WaitGroup
	for range min(workers, len(items)) {
		all.Go(func() {
			for item := range next {
				do(item)
			}
		})
	}
	for _, item := range items {
		next <- item
	}
	close(next)
	all.Wait()
}
