package kube

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"testing"

	"github.com/k0smos/terraform-provider-k0smos/internal/kube/ownership"
)

func fill(f *fakeAPI, n int) {
	for i := range n {
		name := fmt.Sprintf("q%04d", i)
		f.put(queuePath(name), queue(name, map[string]any{"spec": map[string]any{"n": i}}))
	}
}

// readAll reads n objects, ten at a time as Terraform does.
func readAll(ctx context.Context, c *Cluster, n int) []error {
	names := make([]int, n)
	for i := range names {
		names[i] = i
	}
	var mu sync.Mutex
	var errs []error
	var all sync.WaitGroup
	next := make(chan int)
	for range 10 {
		all.Go(func() {
			for i := range next {
				live, err := c.Read(ctx, queueKey(fmt.Sprintf("q%04d", i)))
				if err == nil {
					if got, _ := mustMap(live.Object["spec"])["n"].(int64); got != int64(i) {
						err = fmt.Errorf("object %d has %d", i, got)
					}
				}
				if err != nil {
					mu.Lock()
					errs = append(errs, err)
					mu.Unlock()
				}
			}
		})
	}
	for _, i := range names {
		next <- i
	}
	close(next)
	all.Wait()
	return errs
}

func TestReadingAThousandObjectsTakesAtMostFiveRequests(t *testing.T) {
	for n, most := range map[int]int{1: 1, 2: 2, 1000: 5, 2500: 8} {
		t.Run(fmt.Sprintf("%d objects", n), func(t *testing.T) {
			f := newFakeAPI(t)
			fill(f, n)
			p := quickPool(f.source())
			if errs := readAll(t.Context(), p.Management(), n); len(errs) > 0 {
				t.Fatalf("%d errors, first: %v", len(errs), errs[0])
			}
			if sent := p.Requests(); sent["GET"]+sent["LIST"] > most {
				t.Errorf("sent %v, want at most %d", sent, most)
			}
		})
	}
}

func TestReadOfOneObjectIsAGet(t *testing.T) {
	f := newFakeAPI(t)
	fill(f, 1)
	p := quickPool(f.source())
	for range 3 {
		if _, err := p.Management().Read(t.Context(), queueKey("q0000")); err != nil {
			t.Fatal(err)
		}
	}
	if sent := p.Requests(); sent["GET"] != 1 || sent["LIST"] != 0 {
		t.Errorf("sent %v", sent)
	}
}

// warm makes the cluster hold a list.
func warm(t *testing.T, f *fakeAPI) (*Pool, *Cluster) {
	t.Helper()
	fill(f, 3)
	p := quickPool(f.source())
	for i := range 3 {
		if _, err := p.Management().Read(t.Context(), queueKey(fmt.Sprintf("q%04d", i))); err != nil {
			t.Fatal(err)
		}
	}
	if p.Requests()["LIST"] != 1 {
		t.Fatalf("sent %v", p.Requests())
	}
	return p, p.Management()
}

func TestAbsenceInAListIsConfirmedByAGet(t *testing.T) {
	f := newFakeAPI(t)
	_, c := warm(t, f)
	adopted := queue("adopted", nil)
	delete(mustMap(adopted["metadata"]), "labels")
	f.put(queuePath("adopted"), adopted)
	if _, err := c.Read(t.Context(), queueKey("adopted")); err != nil {
		t.Errorf("an object without our label: %v", err)
	}
	_, err := c.Read(t.Context(), queueKey("gone"))
	wantReason(t, err, ReasonNotFound)
	if n := f.requests("GET " + queuePath("gone")); n != 1 {
		t.Errorf("%d GETs", n)
	}
	f.put(queuePath("gone"), queue("gone", nil))
	if _, err := c.Read(t.Context(), queueKey("gone")); err != nil {
		t.Errorf("absence was remembered: %v", err)
	}
}

func TestWritesGoThroughToReads(t *testing.T) {
	f := newFakeAPI(t)
	p, c := warm(t, f)
	sent := p.Requests()
	if _, _, err := c.Apply(t.Context(), queueKey("q0001"), queue("q0001", map[string]any{"spec": map[string]any{"n": 77}}), ApplyOptions{Manager: "m"}); err != nil {
		t.Fatal(err)
	}
	live, err := c.Read(t.Context(), queueKey("q0001"))
	if err != nil || mustMap(live.Object["spec"])["n"] != int64(77) {
		t.Errorf("read %v, %v", live, err)
	}
	live.SetName("changed by the caller")
	if live, err = c.Read(t.Context(), queueKey("q0001")); err != nil || live.GetName() != "q0001" {
		t.Error("callers share an object")
	}
	if _, _, err := c.Apply(t.Context(), queueKey("q0002"), queue("q0002", map[string]any{"spec": map[string]any{"n": 5}}), ApplyOptions{Manager: "m", DryRun: true}); err != nil {
		t.Fatal(err)
	}
	if live, err = c.Read(t.Context(), queueKey("q0002")); err != nil || mustMap(live.Object["spec"])["n"] != int64(2) {
		t.Errorf("a dry run is seen: %v %v", live, err)
	}
	if now := p.Requests(); now["GET"] != sent["GET"] || now["LIST"] != sent["LIST"] {
		t.Errorf("sent %v before, %v after", sent, now)
	}
	if _, err := c.Delete(t.Context(), queueKey("q0001"), ""); err != nil {
		t.Fatal(err)
	}
	_, err = c.Read(t.Context(), queueKey("q0001"))
	wantReason(t, err, ReasonNotFound)
}

func TestWriteDuringAListIsNotOverwrittenByIt(t *testing.T) {
	f := newFakeAPI(t)
	fill(f, 3)
	c := f.cluster()
	if _, err := c.Read(t.Context(), queueKey("q0000")); err != nil {
		t.Fatal(err)
	}
	listed, written := make(chan struct{}), make(chan struct{})
	f.intercept(func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Query().Get("labelSelector") == "" {
			return false
		}
		f.mu.Lock()
		old := f.objects[queuePath("q0001")]
		f.mu.Unlock()
		close(listed)
		<-written
		answer(w, 200, map[string]any{"kind": "List", "metadata": map[string]any{}, "items": []any{old}})
		return true
	})
	done := make(chan error, 1)
	go func() {
		_, err := c.Read(t.Context(), queueKey("q0001"))
		done <- err
	}()
	<-listed
	if _, _, err := c.Apply(t.Context(), queueKey("q0001"), queue("q0001", map[string]any{"spec": map[string]any{"n": 77}}), ApplyOptions{Manager: "m"}); err != nil {
		t.Fatal(err)
	}
	close(written)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	live, err := c.Read(t.Context(), queueKey("q0001"))
	if err != nil || mustMap(live.Object["spec"])["n"] != int64(77) {
		t.Errorf("read %v, %v", live, err)
	}
}

func TestReadsWithoutTheRightToListAreGets(t *testing.T) {
	f := newFakeAPI(t)
	fill(f, 20)
	f.intercept(func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Query().Get("labelSelector") == "" {
			return false
		}
		status(w, 403, "Forbidden", `queues is forbidden: User "ro" cannot list resource "queues"`, nil)
		return true
	})
	p := quickPool(f.source())
	if errs := readAll(t.Context(), p.Management(), 20); len(errs) > 0 {
		t.Fatal(errs[0])
	}
	if sent := p.Requests(); sent["GET"] != 20 || sent["LIST"] != 1 {
		t.Errorf("sent %v", sent)
	}
}

func TestReaderWhoListsForOthersMayGiveUp(t *testing.T) {
	f := newFakeAPI(t)
	fill(f, 3)
	c := f.cluster()
	if _, err := c.Read(t.Context(), queueKey("q0000")); err != nil {
		t.Fatal(err)
	}
	listing := make(chan struct{})
	var once sync.Once
	f.intercept(func(_ http.ResponseWriter, r *http.Request) bool {
		first := false
		if r.URL.Query().Get("labelSelector") != "" {
			once.Do(func() { first = true })
		}
		if first {
			close(listing)
			<-r.Context().Done()
		}
		return first
	})
	leader, cancel := context.WithCancel(t.Context())
	led := make(chan error, 1)
	go func() {
		_, err := c.Read(leader, queueKey("q0001"))
		led <- err
	}()
	<-listing
	followed := make(chan error, 1)
	go func() {
		_, err := c.Read(t.Context(), queueKey("q0002"))
		followed <- err
	}()
	impatient, giveUp := contextWithTimeout(t, 20)
	defer giveUp()
	_, err := c.Read(impatient, queueKey("q0001"))
	wantReason(t, err, ReasonTimeout)
	cancel()
	wantReason(t, <-led, ReasonCancelled)
	if err := <-followed; err != nil {
		t.Errorf("the follower fell with the leader: %v", err)
	}
}

func TestNamespacesAreListedApart(t *testing.T) {
	f := newFakeAPI(t)
	for _, namespace := range []string{"a", "b"} {
		for _, name := range []string{"x", "y"} {
			f.put("/api/v1/namespaces/"+namespace+"/secrets/"+name, map[string]any{"kind": "Secret", "apiVersion": "v1",
				"metadata": map[string]any{"name": name, "namespace": namespace, "labels": map[string]any{ownership.ManagedByLabel: ownership.ManagedBy}}})
		}
	}
	c := f.cluster()
	for range 2 {
		for _, namespace := range []string{"a", "b"} {
			for _, name := range []string{"x", "y"} {
				live, err := c.Read(t.Context(), Key{secrets, namespace, name})
				if err != nil || live.GetNamespace() != namespace || live.GetName() != name {
					t.Fatalf("%v %v", live, err)
				}
			}
		}
	}
	if n := f.requests("GET"); n != 4 {
		t.Errorf("%d requests, want a GET and a LIST for each namespace: %v", n, f.log)
	}
}
