package kube

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/json"
)

// pageSize is how many objects one LIST answers.
const pageSize = 500

// Get asks for one object, past all that is remembered.
func (c *Cluster) Get(ctx context.Context, key Key) (*unstructured.Unstructured, error) {
	return c.get(ctx, key, jsonType)
}

func (c *Cluster) get(ctx context.Context, key Key, accept string) (*unstructured.Unstructured, error) {
	path, err := key.path()
	if err != nil {
		return nil, c.place(err)
	}
	resp, err := c.do(ctx, request{verb: "GET", method: http.MethodGet, path: path, accept: accept, key: key})
	if err != nil {
		return nil, err
	}
	return c.object(resp.body, key)
}

// List lists objects of a kind, in all namespaces with "", page by page. limit 0 means all of them.
func (c *Cluster) List(ctx context.Context, kind Kind, namespace, labelSelector string, limit int) ([]unstructured.Unstructured, error) {
	query := url.Values{}
	if labelSelector != "" {
		query.Set("labelSelector", labelSelector)
	}
	items, _, err := c.list(ctx, kind, namespace, listOptions{query: query, limit: limit})
	return items, err
}

type listOptions struct {
	query   url.Values
	limit   int // 0 = all
	accept  string
	patient bool
}

// list pages through a collection; it also returns the version of the collection.
func (c *Cluster) list(ctx context.Context, kind Kind, namespace string, o listOptions) ([]unstructured.Unstructured, string, error) {
	path, err := kind.path(namespace)
	if err != nil {
		return nil, "", c.place(err)
	}
	r := request{verb: "LIST", method: http.MethodGet, path: path, accept: o.accept, object: listName(kind, namespace), patient: o.patient}
	var items []unstructured.Unstructured
	more, restarts := "", 0
	for {
		r.query = url.Values{}
		for name, values := range o.query {
			r.query[name] = values
		}
		page := pageSize
		if o.limit > 0 {
			page = min(page, o.limit-len(items))
		}
		r.query.Set("limit", strconv.Itoa(page))
		if more != "" {
			r.query.Set("continue", more)
		}
		resp, err := c.do(ctx, r)
		if err != nil {
			// The server keeps a paged list only for minutes. What it lost is listed again from its beginning.
			if more != "" && restarts < 3 && expired(err) {
				items, more, restarts = nil, "", restarts+1
				continue
			}
			return nil, "", err
		}
		found, meta, err := c.page(resp.body, kind, r.object)
		if err != nil {
			return nil, "", err
		}
		items, more = append(items, found...), meta.more
		if more == "" || o.limit > 0 && len(items) >= o.limit {
			return items, meta.version, nil
		}
	}
}

func listName(kind Kind, namespace string) string {
	if namespace == "" {
		return "list of " + kind.String()
	}
	return "list of " + kind.String() + " in namespace " + namespace
}

type listMeta struct{ more, version string }

func (c *Cluster) page(body []byte, kind Kind, object string) ([]unstructured.Unstructured, listMeta, error) {
	var list map[string]any
	if err := json.Unmarshal(body, &list); err != nil || list["metadata"] == nil {
		return nil, listMeta{}, c.garbled(object)
	}
	var meta listMeta
	meta.more, _, _ = unstructured.NestedString(list, "metadata", "continue")
	meta.version, _, _ = unstructured.NestedString(list, "metadata", "resourceVersion")
	raw, _ := list["items"].([]any)
	items := make([]unstructured.Unstructured, 0, len(raw))
	for _, item := range raw {
		obj, ok := item.(map[string]any)
		if !ok {
			return nil, listMeta{}, c.garbled(object)
		}
		if obj["kind"] == nil { // built-in kinds leave it out in lists
			obj["apiVersion"], obj["kind"] = kind.APIVersion(), kind.Kind
		}
		items = append(items, unstructured.Unstructured{Object: obj})
	}
	return items, meta, nil
}

// object reads an object out of an answer.
func (c *Cluster) object(body []byte, key Key) (*unstructured.Unstructured, error) {
	var obj map[string]any
	if err := json.Unmarshal(body, &obj); err != nil || obj["kind"] == nil {
		return nil, c.garbled(key.String())
	}
	return &unstructured.Unstructured{Object: obj}, nil
}

// garbled never quotes what came: it may be anything, a login page or a Secret.
func (c *Cluster) garbled(object string) error {
	return &Error{Reason: ReasonOffline, Cluster: c.Describe(), Object: object,
		Message: "what answers there is not a Kubernetes API server: the answer is not a Kubernetes object. Check the address"}
}

// Raw sends anything else. What it returns beside an error is the status code, 0 if there was no answer.
func (c *Cluster) Raw(ctx context.Context, method, path string, body []byte) ([]byte, int, error) {
	path, rawQuery, _ := strings.Cut(path, "?")
	query, err := url.ParseQuery(rawQuery)
	if err != nil {
		return nil, 0, c.place(&Error{Reason: ReasonInvalid, Message: "the query of the path " + path + " cannot be read"})
	}
	r := request{verb: method, method: method, path: "/" + strings.TrimLeft(path, "/"), query: query, body: body, object: path, once: method == http.MethodPost}
	if body != nil {
		r.contentType = jsonType
	}
	resp, err := c.do(ctx, r)
	if err != nil {
		return nil, statusCode(err), err
	}
	return resp.body, resp.code, nil
}
