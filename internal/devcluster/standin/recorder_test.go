package standin_test

import (
	"encoding/base64"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
)

// patience is how long a test waits for something that should take a moment. It is generous: machines are busy.
const patience = 90 * time.Second

var (
	clusters       = schema.GroupVersionResource{Group: "cluster.x-k8s.io", Version: "v1beta2", Resource: "clusters"}
	controlPlanes  = schema.GroupVersionResource{Group: "controlplane.cluster.x-k8s.io", Version: "v1beta2", Resource: "k0smotroncontrolplanes"}
	remoteClusters = schema.GroupVersionResource{Group: "infrastructure.cluster.x-k8s.io", Version: "v1beta2", Resource: "remoteclusters"}
	derived        = schema.GroupVersionResource{Group: "k0smotron.io", Version: "v1beta2", Resource: "clusters"}
	secrets        = schema.GroupVersionResource{Version: "v1", Resource: "secrets"}
	machines       = schema.GroupVersionResource{Group: "cluster.x-k8s.io", Version: "v1beta2", Resource: "machines"}
	remoteMachines = schema.GroupVersionResource{Group: "infrastructure.cluster.x-k8s.io", Version: "v1beta2", Resource: "remotemachines"}
	pooled         = schema.GroupVersionResource{Group: "infrastructure.cluster.x-k8s.io", Version: "v1beta2", Resource: "pooledremotemachines"}
	workerConfigs  = schema.GroupVersionResource{Group: "bootstrap.cluster.x-k8s.io", Version: "v1beta2", Resource: "k0sworkerconfigs"}
	claims         = schema.GroupVersionResource{Version: "v1", Resource: "persistentvolumeclaims"}
)

// recorder watches a namespace and writes down every change, in the shape of the recorded traces.
type recorder struct {
	lock    sync.Mutex
	changed chan struct{}
	changes []change
	state   map[string]map[string]any // object -> fields
	objects map[string]*unstructured.Unstructured
}

func record(t *testing.T, client dynamic.Interface, namespace string) *recorder {
	t.Helper()
	r := &recorder{
		changed: make(chan struct{}),
		state:   map[string]map[string]any{},
		objects: map[string]*unstructured.Unstructured{},
	}
	for _, resource := range []schema.GroupVersionResource{
		clusters, controlPlanes, remoteClusters, derived, secrets, machines, remoteMachines, pooled, workerConfigs,
	} {
		w, err := client.Resource(resource).Namespace(namespace).Watch(t.Context(), metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(w.Stop)
		go func() {
			for event := range w.ResultChan() {
				r.note(event)
			}
		}()
	}
	return r
}

func (r *recorder) note(event watch.Event) {
	obj, ok := event.Object.(*unstructured.Unstructured)
	if !ok {
		return
	}
	gvk := obj.GroupVersionKind()
	group := gvk.Group
	if group == "" {
		group = gvk.Version
	}
	id := gvk.Kind + "." + group + "/" + obj.GetName()

	r.lock.Lock()
	defer r.lock.Unlock()
	c := change{Object: id, Event: string(event.Type), Fields: map[string]any{}}
	c.revision, _ = strconv.ParseInt(obj.GetResourceVersion(), 10, 64)
	if event.Type == watch.Deleted {
		delete(r.state, id)
		delete(r.objects, id)
	} else {
		fields := flatten(obj)
		for key, value := range fields {
			if old, had := r.state[id][key]; !had || old != value {
				c.Fields[key] = value
			}
		}
		for key := range r.state[id] {
			if _, has := fields[key]; !has {
				c.Gone = append(c.Gone, key)
			}
		}
		slices.Sort(c.Gone)
		r.state[id], r.objects[id] = fields, obj
	}
	if len(c.Fields)+len(c.Gone) > 0 || event.Type == watch.Deleted {
		r.changes = append(r.changes, c)
	}
	close(r.changed)
	r.changed = make(chan struct{})
}

// await waits until what is known of an object satisfies a condition; fields is nil as long as it does not exist.
func (r *recorder) await(t *testing.T, object, what string, satisfied func(fields map[string]any) bool) {
	t.Helper()
	timeout := time.After(patience)
	for {
		r.lock.Lock()
		fields, changed := r.state[object], r.changed
		done := satisfied(fields)
		r.lock.Unlock()
		if done {
			return
		}
		select {
		case <-changed:
		case <-timeout:
			t.Fatalf("%s: %s did not come; it is %v; seen:\n%s", object, what, fields, strings.Join(r.lines(), "\n"))
		case <-t.Context().Done():
			t.Fatal(t.Context().Err())
		}
	}
}

func (r *recorder) awaitField(t *testing.T, object, field string, value any) {
	t.Helper()
	r.await(t, object, fmt.Sprintf("%s=%v", field, value), func(fields map[string]any) bool {
		return fmt.Sprint(fields[field]) == fmt.Sprint(value)
	})
}

func (r *recorder) awaitGone(t *testing.T, object string) {
	t.Helper()
	r.await(t, object, "its end", func(fields map[string]any) bool { return fields == nil })
}

// since returns the changes from the nth on.
func (r *recorder) since(n int) []change {
	r.lock.Lock()
	defer r.lock.Unlock()
	return slices.Clone(r.changes[n:])
}

func (r *recorder) lines() []string {
	var lines []string
	for _, c := range r.since(0) {
		lines = append(lines, c.String())
	}
	return lines
}

// fields returns what is known of an object now.
func (r *recorder) fields(object string) map[string]any {
	r.lock.Lock()
	defer r.lock.Unlock()
	return maps.Clone(r.state[object])
}

// snapshot is the state of all objects, as a trace begins.
func (r *recorder) snapshot() []change {
	r.lock.Lock()
	defer r.lock.Unlock()
	var all []change
	for object, fields := range r.state {
		all = append(all, change{Object: object, Event: "ADDED", Fields: maps.Clone(fields)})
	}
	return all
}

// kubeconfig is the content of the kubeconfig Secret.
func (r *recorder) kubeconfig(t *testing.T) []byte {
	t.Helper()
	r.lock.Lock()
	defer r.lock.Unlock()
	secret := r.objects["Secret.v1/geo-kubeconfig"]
	if secret == nil {
		t.Fatal("there is no kubeconfig Secret")
	}
	value, _, _ := unstructured.NestedString(secret.Object, "data", "value")
	content, err := base64.StdEncoding.DecodeString(value)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// flatten writes an object as path -> value, with the paths of the recorded traces.
func flatten(obj *unstructured.Unstructured) map[string]any {
	out := map[string]any{}
	if obj.GetKind() == "Secret" {
		data, _, _ := unstructured.NestedMap(obj.Object, "data")
		out["keys"] = strings.Join(slices.Sorted(maps.Keys(data)), ",")
		out["type"] = obj.Object["type"]
		return out
	}
	flattenInto(out, "spec", obj.Object["spec"])
	flattenInto(out, "status", obj.Object["status"])
	meta := map[string]any{"generation": obj.GetGeneration()}
	for _, key := range []string{"labels", "annotations", "finalizers", "ownerReferences", "deletionTimestamp"} {
		if value, ok, _ := unstructured.NestedFieldNoCopy(obj.Object, "metadata", key); ok {
			meta[key] = value
		}
	}
	flattenInto(out, "meta", meta)
	return out
}

func flattenInto(out map[string]any, path string, value any) {
	switch value := value.(type) {
	case map[string]any:
		for key, below := range value {
			switch key {
			case "lastTransitionTime", "uid", "controller", "blockOwnerDeletion":
				continue
			}
			flattenInto(out, path+"."+key, below)
		}
	case []any:
		for i, below := range value {
			flattenInto(out, fmt.Sprintf("%s[%s]", path, listKey(i, below)), below)
		}
	case string:
		if value != "" {
			out[path] = value
		}
	case int64:
		out[path] = float64(value)
	case nil:
	default:
		out[path] = value
	}
}

// listKey is by what an entry of a list is known: its type, its name, or its place.
func listKey(i int, entry any) string {
	if m, ok := entry.(map[string]any); ok {
		for _, key := range []string{"type", "name"} {
			if name, ok := m[key].(string); ok {
				return name
			}
		}
	}
	return fmt.Sprint(i)
}
