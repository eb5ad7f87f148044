package kube

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
)

var secretsPath = "/api/v1/namespaces/n/secrets/"

func secret(name string) map[string]any {
	return map[string]any{"apiVersion": "v1", "kind": "Secret", "metadata": map[string]any{"name": name, "namespace": "n"}}
}

// following follows until the names that are seen, in their order, are wanted.
func following(t *testing.T, look Look, wanted string) chan error {
	t.Helper()
	out := make(chan error, 1)
	go func() {
		out <- Follow(t.Context(), look, func(seen []*unstr) (bool, error) { return names(seen) == wanted, nil })
	}()
	return out
}

func names(seen []*unstr) string {
	var out []string
	for _, o := range seen {
		out = append(out, o.GetName())
	}
	return strings.Join(out, " ")
}

func only(s ...Selection) Look { return func([]*unstr) []Selection { return s } }

func (f *fakeAPI) watchers(t *testing.T, n int) {
	t.Helper()
	f.until(t.Context(), "enough watches are open", func() bool { return len(f.watches) == n })
}

func TestFollowSeesWhatHappens(t *testing.T) {
	tests := map[string]struct {
		happens func(*testing.T, *fakeAPI)
		wanted  string
	}{
		"an object appears":                      {func(_ *testing.T, f *fakeAPI) { f.put(queuePath("c"), queue("c", nil)) }, "b c s"},
		"an object goes":                         {func(_ *testing.T, f *fakeAPI) { f.remove(queuePath("b")) }, "s"},
		"an object of another selection appears": {func(_ *testing.T, f *fakeAPI) { f.put(secretsPath+"a", secret("a")) }, "b a s"},
		"the streams end and are taken up again": {func(t *testing.T, f *fakeAPI) {
			f.end()
			f.watchers(t, 2)
			f.put(queuePath("c"), queue("c", nil))
		}, "b c s"},
		"the connection breaks": {func(t *testing.T, f *fakeAPI) {
			f.server.CloseClientConnections()
			f.until(t.Context(), "the watches are noticed as lost", func() bool { return len(f.watches) == 0 })
			f.put(queuePath("c"), queue("c", nil))
		}, "b c s"},
		"410 Gone, after which a list shows what is gone": {func(_ *testing.T, f *fakeAPI) {
			f.mu.Lock()
			delete(f.objects, queuePath("b"))
			f.mu.Unlock()
			f.send(map[string]any{"type": "ERROR", "object": map[string]any{"kind": "Status", "code": 410, "reason": "Expired", "message": "too old resource version"}})
		}, "s"},
		"a server that starts forbids for a moment": {func(_ *testing.T, f *fakeAPI) {
			f.first(2, http.MethodGet, refusal(403, "Forbidden", `User "u" cannot list`, nil))
			f.end()
			f.put(queuePath("c"), queue("c", nil))
		}, "b c s"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			f := newFakeAPI(t)
			f.put(queuePath("b"), queue("b", nil))
			f.put(secretsPath+"s", secret("s"))
			c := f.cluster()
			out := following(t, only(Selection{Cluster: c, Kind: queues}, Selection{Cluster: c, Kind: secrets, Namespace: "n"}), test.wanted)
			f.watchers(t, 2)
			test.happens(t, f)
			if err := <-out; err != nil {
				t.Error(err)
			}
		})
	}
}

func TestFollowShowsEachObjectOnce(t *testing.T) {
	f := newFakeAPI(t)
	f.put(queuePath("a"), queue("a", nil))
	f.put(queuePath("b"), queue("b", map[string]any{"metadata": map[string]any{"name": "b", "labels": map[string]any{"site": "quebec"}}}))
	c := f.cluster()
	look := only(Selection{Cluster: c, Kind: queues, Selector: "site=quebec"}, Selection{Cluster: c, Kind: queues, Name: "a"}, Selection{Cluster: c, Kind: queues})
	if err := <-following(t, look, "b a"); err != nil {
		t.Error(err)
	}
}

func TestFollowLooksFurtherWhereWhatIsSeenLeads(t *testing.T) {
	f := newFakeAPI(t)
	c := f.cluster()
	look := func(seen []*unstr) []Selection {
		out := []Selection{{Cluster: c, Kind: queues}}
		for _, o := range seen {
			if o.GetKind() == "Queue" {
				out = append(out, Selection{Cluster: c, Kind: secrets, Namespace: "n", Name: o.GetName() + "-key"})
			}
		}
		return out
	}
	out := following(t, look, "a a-key")
	f.watchers(t, 1)
	f.put(queuePath("a"), queue("a", nil))
	f.watchers(t, 2)
	f.put(secretsPath+"a-key", secret("a-key"))
	if err := <-out; err != nil {
		t.Error(err)
	}
}

func TestFollowJudgesOnlyWhatItHasSeenWhole(t *testing.T) {
	f := newFakeAPI(t)
	f.put(queuePath("a"), queue("a", nil))
	f.put(secretsPath+"s", secret("s"))
	c := f.cluster()
	f.intercept(func(_ http.ResponseWriter, r *http.Request) bool {
		if strings.HasSuffix(r.URL.Path, "/secrets") && r.URL.Query().Get("watch") == "" { // answered only when the queues are long there
			f.until(r.Context(), "the queues are watched", func() bool { return len(f.watches) > 0 })
		}
		return false
	})
	err := Follow(t.Context(), only(Selection{Cluster: c, Kind: queues}, Selection{Cluster: c, Kind: secrets, Namespace: "n"}), func(seen []*unstr) (bool, error) {
		if names(seen) != "a s" {
			t.Errorf("judged %q", names(seen))
		}
		return true, nil
	})
	if err != nil {
		t.Error(err)
	}
}

func TestFollowTakesAKindThatIsNotServedForOneWithoutObjects(t *testing.T) {
	for name, kind := range map[string]Kind{
		"whose resource is known":      queues,
		"whose resource must be asked": {Group: queues.Group, Version: queues.Version, Kind: queues.Kind},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFakeAPI(t)
			f.first(3, http.MethodGet, plain(404, "404 page not found\n"))
			c := f.cluster()
			judged := 0
			err := Follow(t.Context(), only(Selection{Cluster: c, Kind: kind}), func(seen []*unstr) (bool, error) {
				if judged++; judged == 1 {
					if len(seen) > 0 {
						t.Errorf("saw %q", names(seen))
					}
					f.mu.Lock()
					f.served["/apis/scheduling.run.ai/v2"] = []map[string]any{{"name": "queues", "kind": "Queue", "namespaced": false}}
					f.mu.Unlock()
					f.put(queuePath("a"), queue("a", nil))
				}
				return names(seen) == "a", nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
}

func TestFollowEndsWithWhatDoesNotPass(t *testing.T) {
	t.Run("RBAC", func(t *testing.T) {
		f := newFakeAPI(t)
		f.first(1<<30, http.MethodGet, refusal(403, "Forbidden", `queues is forbidden: User "u" cannot watch resource "queues"`, nil))
		err := <-following(t, only(Selection{Cluster: f.cluster(), Kind: queues}), "never")
		wantText(t, errorOf(t, err, ReasonForbidden), "list of Queue", "Grant this")
	})
	t.Run("its judge says so", func(t *testing.T) {
		broken := errors.New("it failed for good")
		err := Follow(t.Context(), only(Selection{Cluster: newFakeAPI(t).cluster(), Kind: queues}), func([]*unstr) (bool, error) { return false, broken })
		if !errors.Is(err, broken) {
			t.Error(err)
		}
	})
}

func TestFollowThatIsOverSaysWhatItCouldNotSee(t *testing.T) {
	f := newFakeAPI(t)
	f.first(1<<30, http.MethodGet, refusal(503, "ServiceUnavailable", "starting", nil))
	ctx, expire := expiring(t)
	out := make(chan error, 1)
	c := hasty(quickPool(f.source())).Management()
	go func() { out <- Follow(ctx, only(Selection{Cluster: c, Kind: queues}), nil) }()
	f.until(t.Context(), "many attempts", func() bool { return len(f.log) > 20 })
	expire()
	wantText(t, errorOf(t, <-out, ReasonTimeout), "ran out of time", "list of Queue.scheduling.run.ai/v2", "not seen even once", "starting")
}

func TestFollowEndsItsStreams(t *testing.T) {
	f := newFakeAPI(t)
	c := f.cluster()
	ctx, cancel := context.WithCancel(t.Context())
	out := make(chan error, 1)
	go func() {
		out <- Follow(ctx, only(Selection{Cluster: c, Kind: queues}), func([]*unstr) (bool, error) { return false, nil })
	}()
	f.watchers(t, 1)
	cancel()
	wantReason(t, <-out, ReasonCancelled)
	f.watchers(t, 0)
}

func TestAReadAfterAFollowAsksForWhatChangedMeanwhile(t *testing.T) {
	f := newFakeAPI(t)
	f.put(queuePath("a"), queue("a", nil))
	c := f.cluster()
	for range 2 { // now it is remembered
		if _, err := c.Read(t.Context(), queueKey("a")); err != nil {
			t.Fatal(err)
		}
	}
	out := make(chan error, 1)
	go func() {
		out <- Follow(t.Context(), only(Selection{Cluster: c, Kind: queues}), func(seen []*unstr) (bool, error) {
			ok, _, err := ready(seen[0])
			return ok, err
		})
	}()
	f.watchers(t, 1)
	f.put(queuePath("a"), readyQueue("a"))
	if err := <-out; err != nil {
		t.Fatal(err)
	}
	live, err := c.Read(t.Context(), queueKey("a"))
	if err != nil {
		t.Fatal(err)
	}
	if ok, _, _ := ready(live); !ok {
		t.Error("the read remembers what is old")
	}
}
