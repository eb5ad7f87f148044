package kube

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
)

func resource(name, kind string, namespaced bool, verbs ...any) map[string]any {
	if len(verbs) == 0 {
		verbs = []any{"get", "list", "delete"}
	}
	return map[string]any{"name": name, "kind": kind, "namespaced": namespaced, "verbs": verbs}
}

func TestLookupFindsResourceAndScope(t *testing.T) {
	f := newFakeAPI(t)
	f.served["/api/v1"] = []map[string]any{resource("pods/status", "Pod", true), resource("pods", "Pod", true), resource("nodes", "Node", false)}
	f.served["/apis/scheduling.run.ai/v2"] = []map[string]any{resource("queues", "Queue", false)}
	p := quickPool(f.source())
	c := p.Management()
	for range 2 {
		for _, want := range []Kind{queues, {Version: "v1", Kind: "Pod", Resource: "pods", Namespaced: true}, {Version: "v1", Kind: "Node", Resource: "nodes"}} {
			got, err := c.Lookup(t.Context(), want.APIVersion(), want.Kind)
			if err != nil || got != want {
				t.Errorf("%+v %v", got, err)
			}
		}
		if ok, err := c.Serves(t.Context(), "scheduling.run.ai", "v2"); !ok || err != nil {
			t.Error(ok, err)
		}
	}
	if n := p.Requests()["GET"]; n != 2 {
		t.Errorf("%d requests, want 2", n)
	}
}

func TestWhatIsNotServedIsNeverRemembered(t *testing.T) {
	f := newFakeAPI(t)
	c := f.cluster()
	_, err := c.Lookup(t.Context(), "scheduling.run.ai/v2", "Queue")
	wantText(t, errorOf(t, err, ReasonNoKind), "Queue.scheduling.run.ai/v2", "does not serve scheduling.run.ai/v2", "Install the operator")
	if ok, err := c.Serves(t.Context(), "scheduling.run.ai", "v2"); ok || err != nil {
		t.Error(ok, err)
	}
	if versions, err := c.GroupVersions(t.Context(), "scheduling.run.ai"); len(versions) > 0 || err != nil {
		t.Error(versions, err)
	}
	f.mu.Lock()
	f.served["/apis/scheduling.run.ai/v2"] = []map[string]any{resource("shards", "Shard", false)}
	f.mu.Unlock()
	_, err = c.Lookup(t.Context(), "scheduling.run.ai/v2", "shard")
	wantText(t, errorOf(t, err, ReasonNoKind), "did you mean Shard?")
	f.mu.Lock()
	f.served["/apis/scheduling.run.ai/v2"] = append(f.served["/apis/scheduling.run.ai/v2"], resource("queues", "Queue", false))
	f.mu.Unlock()
	if got, err := c.Lookup(t.Context(), "scheduling.run.ai/v2", "Queue"); err != nil || got != queues {
		t.Errorf("%+v %v", got, err)
	}
	for _, odd := range [][2]string{{"", "Queue"}, {"a/b/c", "Queue"}, {"v1", ""}} {
		_, err = c.Lookup(t.Context(), odd[0], odd[1])
		wantReason(t, err, ReasonInvalid)
	}
}

func TestGroupVersionsPutThePreferredFirst(t *testing.T) {
	_, _, p := twoClusters(t)
	for range 2 {
		got, err := p.Management().GroupVersions(t.Context(), "cluster.x-k8s.io")
		if err != nil || !slices.Equal(got, []string{"v1beta2", "v1beta1"}) {
			t.Errorf("%v %v", got, err)
		}
	}
	if n := p.Requests()["GET"]; n != 1 {
		t.Errorf("%d requests, want 1", n)
	}
}

func TestUnreachableClusterIsNotOneWithoutTheKind(t *testing.T) {
	f := newFakeAPI(t)
	f.first(1<<30, http.MethodGet, reset)
	c := hasty(quickPool(f.source())).Management()
	_, err := c.Lookup(t.Context(), "scheduling.run.ai/v2", "Queue")
	wantReason(t, err, ReasonOffline)
	_, err = c.Serves(t.Context(), "scheduling.run.ai", "v2")
	wantReason(t, err, ReasonOffline)
}

func TestEventsAreTheLastFiveNewestFirst(t *testing.T) {
	f := newFakeAPI(t)
	event := func(i int, extra map[string]any) {
		obj := map[string]any{"apiVersion": "v1", "kind": "Event", "metadata": map[string]any{"name": fmt.Sprintf("e%d", i)}, "type": "Warning", "reason": fmt.Sprintf("R%d", i),
			"message": "no such volume\n", "involvedObject": map[string]any{"kind": "Queue", "name": "a", "apiVersion": "scheduling.run.ai/v2"},
			"lastTimestamp": fmt.Sprintf("2026-01-02T15:04:%02dZ", i)}
		for key, value := range extra {
			obj[key] = value
		}
		f.put(fmt.Sprintf("/api/v1/namespaces/default/events/e%d", i), obj)
	}
	for _, i := range []int{3, 1, 2, 6, 5, 4} {
		event(i, nil)
	}
	event(7, map[string]any{"involvedObject": map[string]any{"kind": "Queue", "name": "a", "apiVersion": "another.group/v2"}, "lastTimestamp": "2027-01-02T15:04:05Z"})
	event(8, map[string]any{"involvedObject": map[string]any{"kind": "Queue", "name": "b"}})
	event(9, map[string]any{"lastTimestamp": nil, "eventTime": "2026-01-02T15:04:30.123456Z", "series": map[string]any{"count": 3, "lastObservedTime": "2026-01-02T15:04:40.5Z"}, "type": "Normal"})
	got, err := f.cluster().Events(t.Context(), queueKey("a"))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"Normal R9: no such volume (3 times)", "Warning R6: no such volume", "Warning R5: no such volume", "Warning R4: no such volume", "Warning R3: no such volume"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

// namespaceServer serves Secrets, ConfigMaps, ServiceAccounts, events and two groups, one of which may be dead.
func namespaceServer(t *testing.T) *fakeAPI {
	f := newFakeAPI(t)
	f.served["/api/v1"] = []map[string]any{resource("secrets", "Secret", true), resource("configmaps", "ConfigMap", true), resource("serviceaccounts", "ServiceAccount", true),
		resource("events", "Event", true), resource("endpoints", "Endpoints", true), resource("namespaces", "Namespace", false), resource("pods/log", "Pod", true)}
	f.served["/apis/coordination.k8s.io/v1"] = []map[string]any{resource("leases", "Lease", true)}
	f.served["/apis/metrics.k8s.io/v1beta1"] = []map[string]any{resource("pods", "PodMetrics", true, "get", "list")}
	f.served["/apis/cluster.x-k8s.io/v1beta2"] = []map[string]any{resource("clusters", "Cluster", true)}
	f.intercept(func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path != "/apis" {
			return false
		}
		var groups []any
		for _, name := range []string{"coordination.k8s.io/v1", "metrics.k8s.io/v1beta1", "cluster.x-k8s.io/v1beta2"} {
			group, version, _ := strings.Cut(name, "/")
			groups = append(groups, map[string]any{"name": group, "preferredVersion": map[string]any{"groupVersion": name, "version": version}})
		}
		answer(w, 200, map[string]any{"kind": "APIGroupList", "groups": groups})
		return true
	})
	for path, kind := range map[string]string{"configmaps/kube-root-ca.crt": "ConfigMap", "serviceaccounts/default": "ServiceAccount", "events/x": "Event", "endpoints/x": "Endpoints"} {
		_, name, _ := strings.Cut(path, "/")
		f.put("/api/v1/namespaces/geo/"+path, map[string]any{"kind": kind, "apiVersion": "v1", "metadata": map[string]any{"name": name, "namespace": "geo"}})
	}
	f.put("/api/v1/namespaces/geo/secrets/default-token-x", map[string]any{"kind": "Secret", "apiVersion": "v1",
		"metadata": map[string]any{"name": "default-token-x", "annotations": map[string]any{"kubernetes.io/service-account.name": "default"}}})
	f.put("/apis/coordination.k8s.io/v1/namespaces/geo/leases/x", map[string]any{"kind": "Lease", "metadata": map[string]any{"name": "x"}})
	return f
}

func TestNamespaceContentsLeaveOutWhatEveryNamespaceHas(t *testing.T) {
	f := namespaceServer(t)
	c := f.cluster()
	got, err := c.NamespaceContents(t.Context(), "geo")
	if err != nil || len(got) > 0 {
		t.Fatalf("%q %v", got, err)
	}
	f.put("/api/v1/namespaces/geo/configmaps/mine", map[string]any{"kind": "ConfigMap", "metadata": map[string]any{"name": "mine"}})
	f.put("/api/v1/namespaces/other/configmaps/theirs", map[string]any{"kind": "ConfigMap", "metadata": map[string]any{"name": "theirs"}})
	f.put(capiPath, map[string]any{"kind": "Cluster", "metadata": map[string]any{"name": "train"}})
	got, err = c.NamespaceContents(t.Context(), "geo")
	if err != nil || !slices.Equal(got, []string{"Cluster.cluster.x-k8s.io/v1beta2 geo/train", "ConfigMap/v1 geo/mine"}) {
		t.Errorf("%q %v", got, err)
	}
	for i := range 30 {
		f.put(fmt.Sprintf("/api/v1/namespaces/geo/secrets/s%d", i), map[string]any{"kind": "Secret", "metadata": map[string]any{"name": fmt.Sprintf("s%d", i)}})
	}
	if got, err = c.NamespaceContents(t.Context(), "geo"); err != nil || len(got) != 10 {
		t.Errorf("%d names, %v", len(got), err)
	}
}

func TestNamespaceIsNotCalledEmptyWhereAKindCannotBeSeen(t *testing.T) {
	tests := map[string]struct {
		path   string
		answer http.HandlerFunc
		reason Reason
	}{
		"a kind that may not be listed": {"/apis/cluster.x-k8s.io/v1beta2/namespaces/geo/clusters", refusal(403, "Forbidden", `clusters is forbidden: User "u" cannot list resource "clusters"`, nil), ReasonForbidden},
		"a group that is dead":          {"/apis/cluster.x-k8s.io/v1beta2", refusal(503, "ServiceUnavailable", "service unavailable", nil), ReasonUnavailable},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			f := namespaceServer(t)
			f.intercept(func(w http.ResponseWriter, r *http.Request) bool {
				if r.URL.Path == test.path {
					test.answer(w, r)
				}
				return r.URL.Path == test.path
			})
			c := hasty(quickPool(f.source())).Management()
			_, err := c.NamespaceContents(t.Context(), "geo")
			wantText(t, errorOf(t, err, test.reason), "it cannot be said whether namespace geo is empty", "1 kind could not")
			f.put("/api/v1/namespaces/geo/configmaps/mine", map[string]any{"kind": "ConfigMap", "metadata": map[string]any{"name": "mine"}})
			if got, err := c.NamespaceContents(t.Context(), "geo"); err != nil || len(got) != 1 {
				t.Errorf("%q %v", got, err)
			}
		})
	}
}
