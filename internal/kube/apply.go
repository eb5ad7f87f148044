package kube

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

const (
	applyType     = "application/apply-patch+yaml" // JSON is YAML
	jsonPatchType = "application/json-patch+json"
)

// ApplyOptions are the options of one server-side apply.
type ApplyOptions struct {
	Manager       string // field manager
	Force, DryRun bool
}

// Apply declares obj by server-side apply, with strict field validation. created is true where the object did not exist
// before; where an answer was lost on the way and the request sent again, the second answer decides.
func (c *Cluster) Apply(ctx context.Context, key Key, obj map[string]any, o ApplyOptions) (live *unstructured.Unstructured, created bool, err error) {
	path, err := key.path()
	if err != nil {
		return nil, false, c.place(err)
	}
	body, err := json.Marshal(obj)
	if err != nil {
		return nil, false, c.place(invalidKey(key, "the object cannot be written as JSON: "+err.Error()))
	}
	query := url.Values{"fieldManager": {o.Manager}, "fieldValidation": {"Strict"}}
	if o.Force {
		query.Set("force", "true")
	}
	if o.DryRun {
		query.Set("dryRun", "All")
	}
	version, _, _ := unstructured.NestedString(obj, "metadata", "resourceVersion")
	uid, _, _ := unstructured.NestedString(obj, "metadata", "uid")
	seen := c.memory.Load()
	resp, err := c.do(ctx, request{
		verb: "APPLY", method: http.MethodPatch, path: path, query: query, body: body, contentType: applyType, key: key, guarded: version+uid != "",
	})
	if err != nil {
		if !o.DryRun {
			seen.batches.drop(key) // whether it was applied is not known
		}
		return nil, false, err
	}
	live, err = c.object(resp.body, key)
	if err != nil {
		return nil, false, err
	}
	if !o.DryRun {
		seen.batches.store(key, live)
	}
	return live, resp.code == http.StatusCreated, nil
}

// Create posts obj, which must not exist. It is sent a second time only where the first certainly had no effect.
func (c *Cluster) Create(ctx context.Context, key Key, obj map[string]any, manager string) (*unstructured.Unstructured, error) {
	path, err := key.Kind.path(key.Namespace)
	if err != nil {
		return nil, c.place(named(key.String(), err))
	}
	if key.Kind.Namespaced && key.Namespace == "" {
		return nil, c.place(invalidKey(key, "the kind is namespaced but no namespace is given"))
	}
	body, err := json.Marshal(obj)
	if err != nil {
		return nil, c.place(invalidKey(key, "the object cannot be written as JSON: "+err.Error()))
	}
	resp, err := c.do(ctx, request{
		verb: "POST", method: http.MethodPost, path: path, query: url.Values{"fieldManager": {manager}, "fieldValidation": {"Strict"}},
		body: body, contentType: jsonType, key: key, once: true,
	})
	c.memory.Load().batches.drop(key)
	if err != nil {
		return nil, err
	}
	return c.object(resp.body, key)
}

// Patch applies a JSON patch. A test in it that fails, or a path that is not there, is ReasonPrecondition.
func (c *Cluster) Patch(ctx context.Context, key Key, jsonPatch []byte) error {
	path, err := key.path()
	if err != nil {
		return c.place(err)
	}
	_, err = c.do(ctx, request{verb: "PATCH", method: http.MethodPatch, path: path, body: jsonPatch, contentType: jsonPatchType, key: key, guarded: true})
	c.memory.Load().batches.drop(key)
	return err
}

// Delete deletes the object in the foreground: what it owns goes first. With a uid, only that very object is deleted. That
// it does not exist is no error; that it still exists afterwards, with finalizers, is normal. It is returned then as it was
// left, for WaitFrom to see its end.
func (c *Cluster) Delete(ctx context.Context, key Key, uid string) (left *unstructured.Unstructured, err error) {
	return c.DeleteVersion(ctx, key, uid, "")
}

// DeleteVersion is Delete of an object that nobody has changed since a version of it was seen. An empty uid or version is
// any.
func (c *Cluster) DeleteVersion(ctx context.Context, key Key, uid, version string) (left *unstructured.Unstructured, err error) {
	path, err := key.path()
	if err != nil {
		return nil, c.place(err)
	}
	options := map[string]any{"apiVersion": "v1", "kind": "DeleteOptions", "propagationPolicy": "Foreground"}
	preconditions := map[string]any{}
	if uid != "" {
		preconditions["uid"] = uid
	}
	if version != "" {
		preconditions["resourceVersion"] = version
	}
	if len(preconditions) > 0 {
		options["preconditions"] = preconditions
	}
	body, err := json.Marshal(options)
	if err != nil {
		return nil, c.place(err)
	}
	resp, err := c.do(ctx, request{verb: "DELETE", method: http.MethodDelete, path: path, body: body, contentType: jsonType, key: key, guarded: len(preconditions) > 0})
	c.memory.Load().batches.drop(key)
	switch {
	case is(err, ReasonNotFound):
		return nil, nil
	case err != nil:
		return nil, err
	}
	// What is answered may also be a Status, or the last state of an object that is gone.
	left, err = c.object(resp.body, key)
	if err != nil || left.GetKind() != key.Kind.Kind || left.GetDeletionTimestamp() == nil || len(left.GetFinalizers()) == 0 {
		return nil, nil //nolint:nilerr // then the wait looks for itself
	}
	return left, nil
}
