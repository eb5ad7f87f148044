package kube

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

func TestApplyAsksForStrictValidationAndTellsCreatedFromChanged(t *testing.T) {
	f := newFakeAPI(t)
	c := f.cluster()
	live, created, err := c.Apply(t.Context(), queueKey("a"), queue("a", nil), ApplyOptions{Manager: "k0smos:queue", Force: true})
	if err != nil || !created || live.GetUID() == "" {
		t.Fatalf("created %v, %v", created, err)
	}
	if n := f.requests("PATCH " + queuePath("a") + "?fieldManager=k0smos%3Aqueue&fieldValidation=Strict&force=true"); n != 1 {
		t.Errorf("log: %v", f.log)
	}
	if _, created, err = c.Apply(t.Context(), queueKey("a"), queue("a", nil), ApplyOptions{Manager: "m"}); err != nil || created {
		t.Errorf("created %v, %v", created, err)
	}
	if _, created, err = c.Apply(t.Context(), queueKey("b"), queue("b", nil), ApplyOptions{Manager: "m", DryRun: true}); err != nil || !created {
		t.Errorf("dry run: created %v, %v", created, err)
	}
	if f.objects[queuePath("b")] != nil {
		t.Error("a dry run left an object")
	}
	if n := f.requests("dryRun=All"); n != 1 {
		t.Errorf("%d dry runs", n)
	}
}

func TestApplyWhoseAnswerWasLostEndsWithTheObject(t *testing.T) {
	f := newFakeAPI(t)
	lost := false
	f.intercept(func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method != http.MethodPatch || lost {
			return false
		}
		lost = true
		f.put(queuePath("a"), queue("a", nil))
		reset(w, r)
		return true
	})
	live, created, err := f.cluster().Apply(t.Context(), queueKey("a"), queue("a", nil), ApplyOptions{Manager: "m"})
	if err != nil || created || live.GetName() != "a" {
		t.Errorf("created %v, %v", created, err)
	}
}

func TestDeleteIsBoundToTheUID(t *testing.T) {
	f := newFakeAPI(t)
	c := f.cluster()
	f.put(queuePath("a"), queue("a", nil))
	_, err := c.Delete(t.Context(), queueKey("a"), "another")
	wantText(t, errorOf(t, err, ReasonPrecondition), "made anew")
	if f.requests("DELETE") != 1 {
		t.Error("a failed precondition was retried")
	}
	uid := fmt.Sprint(mustMap(f.objects[queuePath("a")]["metadata"])["uid"])
	if left, err := c.Delete(t.Context(), queueKey("a"), uid); err != nil || left != nil {
		t.Fatalf("left %v, error %v; want nothing", left, err)
	}
	if _, err := c.Delete(t.Context(), queueKey("a"), ""); err != nil {
		t.Errorf("deleting what is not there: %v", err)
	}
}

func TestCreateRefusesATakenName(t *testing.T) {
	f := newFakeAPI(t)
	c := f.cluster()
	if _, err := c.Create(t.Context(), queueKey("a"), queue("a", nil), "m"); err != nil {
		t.Fatal(err)
	}
	_, err := c.Create(t.Context(), queueKey("a"), queue("a", nil), "m")
	wantReason(t, err, ReasonAlreadyExists)
}

func TestNamesAreEscapedInPaths(t *testing.T) {
	long := strings.Repeat("a", 253)
	for _, name := range []string{long, "grüße-日本", "a b", "a?b#c", "system:node:x", "a;b", "a+b"} {
		t.Run(name[:3], func(t *testing.T) {
			f := newFakeAPI(t)
			f.put(queuePath(name), queue(name, nil))
			live, err := f.cluster().Get(t.Context(), queueKey(name))
			if err != nil || live.GetName() != name {
				t.Fatalf("%v", err)
			}
			if n := f.requests("/queues/" + url.PathEscape(name)); n != 1 {
				t.Errorf("log: %v", f.log)
			}
		})
	}
}

func TestNamesThatWouldAddressSomethingElseAreRefused(t *testing.T) {
	keys := map[string]Key{
		"an empty name is the whole collection": {queues, "", ""},
		"a parent folder":                       {queues, "", ".."},
		"this folder":                           {queues, "", "."},
		"a subresource":                         {queues, "", "a/status"},
		"an escaped slash":                      {queues, "", "a%2Fb"},
		"a namespaced kind without a namespace": {secrets, "", "a"},
		"a namespace that leads elsewhere":      {secrets, "../x", "a"},
		"a kind whose version is not known":     {Kind{Kind: "X", Resource: "xs"}, "", "a"},
	}
	for name, key := range keys {
		t.Run(name, func(t *testing.T) {
			f := newFakeAPI(t)
			c := f.cluster()
			calls := map[string]func() error{
				"get":    func() error { _, err := c.Get(t.Context(), key); return err },
				"read":   func() error { _, err := c.Read(t.Context(), key); return err },
				"apply":  func() error { _, _, err := c.Apply(t.Context(), key, map[string]any{}, ApplyOptions{}); return err },
				"patch":  func() error { return c.Patch(t.Context(), key, []byte("[]")) },
				"delete": func() error { _, err := c.Delete(t.Context(), key, ""); return err },
				"wait": func() error {
					_, err := c.Wait(t.Context(), key, func(*unstr) (bool, string, error) { return true, "", nil })
					return err
				},
				"events": func() error { _, err := c.Events(t.Context(), key); return err },
			}
			for call, do := range calls {
				wantReason(t, do(), ReasonInvalid)
				if len(f.log) > 0 {
					t.Errorf("%s sent %v", call, f.log)
				}
			}
		})
	}
}

func TestRawReturnsTheStatusCode(t *testing.T) {
	f := newFakeAPI(t)
	c := f.cluster()
	f.put(queuePath("a"), queue("a", nil))
	body, code, err := c.Raw(t.Context(), http.MethodGet, queuePath("a")+"?pretty=1", nil)
	if err != nil || code != 200 || !strings.Contains(string(body), `"a"`) || f.requests("?pretty=1") != 1 {
		t.Errorf("%d %v", code, err)
	}
	_, code, err = c.Raw(t.Context(), http.MethodGet, queuePath("b"), nil)
	if wantReason(t, err, ReasonNotFound); code != 404 {
		t.Errorf("code %d", code)
	}
}

func TestListPagesAndStartsAgainWhenAPageIsLost(t *testing.T) {
	f := newFakeAPI(t)
	for i := range 1200 {
		name := "q" + strings.Repeat("x", i%7) + string(rune('a'+i%26)) + strings.Repeat("y", i/26)
		f.put(queuePath(name), queue(name, nil))
	}
	c := f.cluster()
	lost := false
	f.intercept(func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Query().Get("continue") != "1000" || lost {
			return false
		}
		lost = true
		status(w, 410, "Expired", "the continue parameter is too old", nil)
		return true
	})
	items, err := c.List(t.Context(), queues, "", "", 0)
	if err != nil {
		t.Fatal(err)
	}
	if len(items) != len(f.objects)-1 || items[0].GetKind() != "Queue" {
		t.Errorf("%d items, want %d", len(items), len(f.objects)-1)
	}
	if n := f.requests("GET"); n != 6 {
		t.Errorf("%d requests, want 3 and again 3", n)
	}
	if items, err = c.List(t.Context(), queues, "", "", 7); err != nil || len(items) != 7 || f.requests("limit=7") != 1 {
		t.Errorf("%d items, %v", len(items), err)
	}
}

func TestDeleteIsBoundToTheVersion(t *testing.T) {
	f := newFakeAPI(t)
	c := f.cluster()
	f.put(queuePath("a"), queue("a", nil))
	now := f.put(queuePath("a"), readyQueue("a"))
	_, err := c.DeleteVersion(t.Context(), queueKey("a"), "", "1")
	_ = errorOf(t, err, ReasonPrecondition)
	if f.requests("DELETE") != 1 {
		t.Error("a failed precondition was retried")
	}
	if _, err := c.DeleteVersion(t.Context(), queueKey("a"), "", fmt.Sprint(mustMap(now["metadata"])["resourceVersion"])); err != nil {
		t.Error(err)
	}
	if f.objects[queuePath("a")] != nil {
		t.Error("it is still there")
	}
}
