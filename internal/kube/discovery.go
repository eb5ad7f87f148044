package kube

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// kinds remembers what a cluster serves. That something is not served is never remembered: a CRD may come at any time.
type kinds struct {
	gate   gate // one question at a time: most of them are the same one
	mu     sync.Mutex
	served map[schema.GroupVersion]map[string]Kind
	groups map[string][]string
}

// Lookup finds the resource name and scope of a kind that is known by apiVersion and kind only.
func (c *Cluster) Lookup(ctx context.Context, apiVersion, kind string) (Kind, error) {
	gv, err := schema.ParseGroupVersion(apiVersion)
	if err != nil || gv.Version == "" || kind == "" {
		return Kind{}, c.place(&Error{Reason: ReasonInvalid, Message: fmt.Sprintf("apiVersion %q and kind %q do not name a kind; write them as in apps/v1 and Deployment", apiVersion, kind)})
	}
	object := Kind{Group: gv.Group, Version: gv.Version, Kind: kind}.String()
	served, err := c.served(ctx, gv, func(served map[string]Kind) bool { return served[kind].Kind != "" })
	if err != nil && !is(err, ReasonNoKind) {
		return Kind{}, named(object, err)
	}
	found, ok := served[kind]
	if ok {
		return found, nil
	}
	why := "the cluster does not serve " + gv.String()
	if err == nil {
		why = "the cluster serves " + gv.String() + " without a kind " + kind
		for name := range served {
			if strings.EqualFold(name, kind) {
				why += " (did you mean " + name + "?)"
			}
		}
	}
	return Kind{}, c.place(&Error{Reason: ReasonNoKind, Object: object, Message: why + ". Install the operator or CRD that brings it, or check the spelling"})
}

// Serves tells whether the cluster serves a version of a group.
func (c *Cluster) Serves(ctx context.Context, group, version string) (bool, error) {
	_, err := c.served(ctx, schema.GroupVersion{Group: group, Version: version}, func(map[string]Kind) bool { return true })
	if is(err, ReasonNoKind) {
		return false, nil
	}
	return err == nil, err
}

// served is what a group version serves, by kind; remembered if it is enough.
func (c *Cluster) served(ctx context.Context, gv schema.GroupVersion, enough func(map[string]Kind) bool) (map[string]Kind, error) {
	k := &c.memory.Load().kinds
	if served := k.get(gv); served != nil && enough(served) {
		return served, nil
	}
	if err := k.gate.lock(ctx); err != nil {
		return nil, c.place(err)
	}
	defer k.gate.unlock()
	if served := k.get(gv); served != nil && enough(served) {
		return served, nil
	}
	list, err := c.resources(ctx, gv)
	if err != nil {
		return nil, err
	}
	served := map[string]Kind{}
	for _, r := range list {
		if strings.Contains(r.Name, "/") || served[r.Kind].Kind != "" {
			continue // subresources have kinds, too
		}
		served[r.Kind] = Kind{Group: gv.Group, Version: gv.Version, Kind: r.Kind, Resource: r.Name, Namespaced: r.Namespaced}
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.served == nil {
		k.served = map[schema.GroupVersion]map[string]Kind{}
	}
	k.served[gv] = served
	return served, nil
}

func (k *kinds) get(gv schema.GroupVersion) map[string]Kind {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.served[gv]
}

// resources asks for the document of one group version.
func (c *Cluster) resources(ctx context.Context, gv schema.GroupVersion) ([]metav1.APIResource, error) {
	var list metav1.APIResourceList
	err := c.document(ctx, groupVersionPath(gv.Group, gv.Version), gv.String(), &list)
	return list.APIResources, err
}

// GroupVersions lists the versions of a group that the cluster serves, the preferred one first; none if it does not serve
// the group.
func (c *Cluster) GroupVersions(ctx context.Context, group string) ([]string, error) {
	if group == "" {
		return []string{"v1"}, nil
	}
	k := &c.memory.Load().kinds
	k.mu.Lock()
	known := k.groups[group]
	k.mu.Unlock()
	if known != nil {
		return slices.Clone(known), nil
	}
	var g metav1.APIGroup
	err := c.document(ctx, "/apis/"+url.PathEscape(group), "API group "+group, &g)
	if is(err, ReasonNoKind) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var versions []string
	for _, v := range g.Versions {
		if v.Version == g.PreferredVersion.Version {
			versions = slices.Insert(versions, 0, v.Version)
		} else {
			versions = append(versions, v.Version)
		}
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.groups == nil {
		k.groups = map[string][]string{}
	}
	k.groups[group] = versions
	return slices.Clone(versions), nil
}

// document fetches one discovery document.
func (c *Cluster) document(ctx context.Context, path, object string, into any) error {
	resp, err := c.do(ctx, request{verb: "GET", method: http.MethodGet, path: path, object: object})
	if is(err, ReasonNotFound) { // an API server in front of others says it in this way
		e := *AsError(err)
		e.Reason, e.Message = ReasonNoKind, "the cluster does not serve this API"
		return &e
	}
	if err != nil {
		return err
	}
	if json.Unmarshal(resp.body, into) != nil {
		return c.garbled(object)
	}
	return nil
}
