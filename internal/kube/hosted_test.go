package kube

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
)

// twoClusters are a management cluster and a hosted one, geo/train, whose kubeconfig Secret is in the first.
func twoClusters(t *testing.T) (management, hosted *fakeAPI, p *Pool) {
	t.Helper()
	management, hosted = newFakeAPI(t), newFakeAPI(t)
	management.t, hosted.t = t, t
	// Both fakes number their UIDs from 1; real clusters never agree.
	hosted.put("/api/v1/namespaces/first", map[string]any{"kind": "Namespace", "metadata": map[string]any{"name": "first"}})
	hosted.mu.Lock()
	mustMap(hosted.objects["/api/v1/namespaces/kube-system"]["metadata"])["uid"] = "hosted-uid"
	hosted.mu.Unlock()
	putKubeconfig(management, hosted.kubeconfig("hosted-token"))
	management.served["/apis/cluster.x-k8s.io"] = nil
	management.intercept(func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path != "/apis/cluster.x-k8s.io" {
			return false
		}
		answer(w, 200, map[string]any{"kind": "APIGroup", "versions": []any{map[string]any{"version": "v1beta1"}, map[string]any{"version": "v1beta2"}},
			"preferredVersion": map[string]any{"version": "v1beta2"}})
		return true
	})
	management.put(capiPath, map[string]any{"apiVersion": "cluster.x-k8s.io/v1beta2", "kind": "Cluster", "metadata": map[string]any{"name": "train", "namespace": "geo", "uid": "capi-uid"}})
	return management, hosted, quickPool(management.source())
}

const (
	capiPath   = "/apis/cluster.x-k8s.io/v1beta2/namespaces/geo/clusters/train"
	secretPath = "/api/v1/namespaces/geo/secrets/train-kubeconfig"
)

var train = Ref{Namespace: "geo", Name: "train"}

func putKubeconfig(f *fakeAPI, content string) {
	putSecret(f, map[string]any{"value": base64Of(content)})
}

func putSecret(f *fakeAPI, data map[string]any) {
	f.put(secretPath, map[string]any{"apiVersion": "v1", "kind": "Secret", "metadata": map[string]any{"name": "train-kubeconfig", "namespace": "geo"}, "data": data})
}

func TestHostedClusterIsReachedThroughItsSecret(t *testing.T) {
	management, hosted, p := twoClusters(t)
	hosted.tokens = map[string]bool{"hosted-token": true}
	c := p.Hosted(Ref{"geo", "train", "some-uid"})
	if c != p.Hosted(train) || c == p.Hosted(Ref{Namespace: "geo", Name: "other"}) {
		t.Error("not the same cluster every time")
	}
	if got := c.Describe(); got != "hosted cluster geo/train" {
		t.Error(got)
	}
	var all sync.WaitGroup
	for range 10 {
		all.Go(func() {
			if _, _, err := c.Apply(t.Context(), queueKey("a"), queue("a", nil), ApplyOptions{Manager: "m"}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if n := management.requests("secrets"); n != 1 {
		t.Errorf("%d reads of the Secret, want 1", n)
	}
	if hosted.objects[queuePath("a")] == nil || management.objects[queuePath("a")] != nil {
		t.Error("the object is in the wrong cluster")
	}
}

func TestHostedKubeconfigProblemsAreNamed(t *testing.T) {
	const user = `{current-context: a, contexts: [{name: a, context: {cluster: c, user: u}}], clusters: [{name: c, cluster: {server: "https://s"}}], users: [{name: u, user: {`
	tests := map[string]struct {
		data     map[string]any
		reason   Reason
		contains string
	}{
		"no Secret yet":           {nil, ReasonHostedNotReady, "the kubeconfig Secret geo/train-kubeconfig (in the management cluster (https://127.0.0.1:"},
		"no key yet":              {map[string]any{"other": "eA=="}, ReasonHostedNotReady, `no key "value"`},
		"not base64":              {map[string]any{"value": canary + "!"}, ReasonBadKubeconfig, "not base64"},
		"not a kubeconfig":        {map[string]any{"value": base64Of(canary)}, ReasonBadKubeconfig, "not a kubeconfig"},
		"a missing context":       {map[string]any{"value": base64Of(`{users: [{name: u, user: {token: ` + canary + `}}]}`)}, ReasonBadKubeconfig, "names no current context"},
		"a program to run":        {map[string]any{"value": base64Of(user + `exec: {apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never, command: /bin/` + canary + `}}}]}`)}, ReasonBadKubeconfig, "runs a program"},
		"a file to send":          {map[string]any{"value": base64Of(user + `tokenFile: /etc/` + canary + `}}]}`)}, ReasonBadKubeconfig, "names files"},
		"a broken certificate":    {map[string]any{"value": base64Of(user + `client-certificate-data: ` + base64Of(canary) + `, client-key-data: ` + base64Of(canary) + `}}]}`)}, ReasonBadKubeconfig, "not a usable pair"},
		"data that is not base64": {map[string]any{"value": base64Of(user + `client-key-data: "` + canary + `"}}]}`)}, ReasonBadKubeconfig, "not a kubeconfig"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			management, _, p := twoClusters(t)
			management.remove(secretPath)
			if test.data != nil {
				putSecret(management, test.data)
			}
			_, err := p.Hosted(train).Get(t.Context(), queueKey("a"))
			e := errorOf(t, err, test.reason)
			wantText(t, e, "hosted cluster geo/train", test.contains)
			noCanary(t, e)
		})
	}
}

func TestHostedClusterIsFoundOnceItsSecretIsThere(t *testing.T) {
	management, hosted, p := twoClusters(t)
	hosted.put(queuePath("a"), readyQueue("a"))
	management.remove(secretPath)
	_, err := p.Hosted(train).Get(t.Context(), queueKey("a"))
	wantReason(t, err, ReasonHostedNotReady)
	out := make(chan error, 1)
	go func() {
		_, err := p.Hosted(train).Wait(t.Context(), queueKey("a"), ready)
		out <- err
	}()
	management.until(t.Context(), "the wait asks for the Secret", func() bool {
		return len(management.log) > 3 && strings.HasSuffix(management.log[len(management.log)-1], secretPath)
	})
	putKubeconfig(management, hosted.kubeconfig("x"))
	if err := <-out; err != nil {
		t.Fatal(err)
	}
}

func TestHostedClusterIsFollowedWhereItMoves(t *testing.T) {
	t.Run("to another endpoint", func(t *testing.T) {
		management, hosted, p := twoClusters(t)
		c := p.Hosted(train)
		if _, err := c.Pin(t.Context()); err != nil {
			t.Fatal(err)
		}
		other := newFakeAPI(t)
		other.put(queuePath("a"), queue("a", nil))
		putKubeconfig(management, other.kubeconfig("x"))
		_ = hosted.server.Listener.Close()
		hosted.server.CloseClientConnections()
		if _, err := c.Get(t.Context(), queueKey("a")); err != nil {
			t.Fatal(err)
		}
	})
	t.Run("to other credentials", func(t *testing.T) {
		management, hosted, p := twoClusters(t)
		c := p.Hosted(train)
		hosted.put(queuePath("a"), queue("a", nil))
		if _, err := c.Get(t.Context(), queueKey("a")); err != nil {
			t.Fatal(err)
		}
		hosted.mu.Lock()
		hosted.tokens = map[string]bool{"renewed": true}
		hosted.mu.Unlock()
		putKubeconfig(management, hosted.kubeconfig("renewed"))
		if _, err := c.Get(t.Context(), queueKey("a")); err != nil {
			t.Fatal(err)
		}
	})
	t.Run("to another CA", func(t *testing.T) {
		management, hosted, p := twoClusters(t)
		hosted.put(queuePath("a"), queue("a", nil))
		right := hosted.kubeconfig("x")
		putKubeconfig(management, kubeconfigFor(hosted.server.URL, selfSigned(t), "token: x"))
		c := p.Hosted(train)
		_, err := c.Get(t.Context(), queueKey("a"))
		wantText(t, errorOf(t, err, ReasonOffline), "authority that is not trusted", "hosted cluster geo/train")
		c.outage.Store(nil)
		putKubeconfig(management, right)
		if _, err := c.Get(t.Context(), queueKey("a")); err != nil {
			t.Fatal(err)
		}
	})
	t.Run("and its Secret is read once for each request that fails", func(t *testing.T) {
		management, hosted, p := twoClusters(t)
		hosted.first(1<<30, http.MethodGet, reset)
		_, err := hasty(p).Hosted(train).Get(t.Context(), queueKey("a"))
		wantReason(t, err, ReasonOffline)
		if n := management.requests("secrets"); n != 2 {
			t.Errorf("%d reads of the Secret, want 2", n)
		}
	})
}

func TestPin(t *testing.T) {
	full := Pin{Management: "uid-1", Cluster: "capi-uid", Hosted: "hosted-uid"}
	t.Run("of a hosted cluster has three parts, each asked for once", func(t *testing.T) {
		management, hosted, p := twoClusters(t)
		for range 3 {
			got, err := p.Hosted(train).Pin(t.Context())
			if err != nil || got != full {
				t.Fatalf("%+v %v", got, err)
			}
			if err := p.Hosted(train).VerifyPin(t.Context(), full); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := p.Management().Pin(t.Context()); err != nil || got != (Pin{Management: "uid-1"}) {
			t.Errorf("%+v %v", got, err)
		}
		if n := management.requests("kube-system") + management.requests(capiPath) + hosted.requests("kube-system"); n != 3 {
			t.Errorf("%d requests, want 3", n)
		}
	})
	change := map[string]struct {
		want    Pin
		hosted  bool
		prepare func(management, hosted *fakeAPI)
		reason  Reason
		text    string
	}{
		"another management cluster":               {Pin{Management: "x"}, false, nil, ReasonWrongCluster, "the state says x"},
		"another management cluster of a hosted":   {Pin{Management: "x", Cluster: "capi-uid"}, true, nil, ReasonWrongCluster, "management cluster"},
		"nothing pinned matches anything":          {Pin{}, true, nil, "", ""},
		"a part that is not pinned matches":        {Pin{Management: "uid-1", Hosted: "hosted-uid"}, true, nil, "", ""},
		"the hosted cluster was made anew":         {Pin{Management: "uid-1", Cluster: "old"}, true, nil, ReasonHostedGone, "made anew"},
		"the hosted cluster is gone":               {full, true, func(m, _ *fakeAPI) { m.remove(capiPath); m.remove(secretPath) }, ReasonHostedGone, "does not exist any more"},
		"gone, but the management is not pinned":   {Pin{Cluster: "capi-uid"}, true, func(m, _ *fakeAPI) { m.remove(capiPath) }, ReasonWrongCluster, "does not say which"},
		"another cluster at the hosted address":    {Pin{Management: "uid-1", Cluster: "capi-uid", Hosted: "x"}, true, nil, ReasonWrongCluster, "the state says x"},
		"a hosted cluster without Cluster API":     {Pin{Management: "uid-1", Hosted: "hosted-uid"}, true, func(m, _ *fakeAPI) { m.remove(capiPath) }, "", ""},
		"a Cluster that may not be read is no 404": {full, true, func(m, _ *fakeAPI) { deny(m, capiPath) }, ReasonForbidden, "cannot get"},
		"a missing Cluster API is no proof":        {full, true, func(m, _ *fakeAPI) { unserve(m, "/apis/cluster.x-k8s.io") }, ReasonNoKind, "not served"},
		"a hosted cluster that does not answer":    {full, true, func(_, h *fakeAPI) { h.first(1<<30, http.MethodGet, reset) }, ReasonOffline, "geo/train"},
		"a Secret that is not there is no proof":   {full, true, func(m, _ *fakeAPI) { m.remove(secretPath) }, ReasonHostedNotReady, "train-kubeconfig"},
	}
	for name, test := range change {
		t.Run(name, func(t *testing.T) {
			management, hosted, p := twoClusters(t)
			if test.prepare != nil {
				test.prepare(management, hosted)
			}
			c := p.Management()
			if test.hosted {
				c = p.Hosted(train)
			}
			hasty(p)
			err := c.VerifyPin(t.Context(), test.want)
			if test.reason == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			wantText(t, errorOf(t, err, test.reason), test.text)
		})
	}
	t.Run("is asked again after the hosted cluster was lost", func(t *testing.T) {
		management, hosted, p := twoClusters(t)
		c := p.Hosted(train)
		if err := c.VerifyPin(t.Context(), full); err != nil {
			t.Fatal(err)
		}
		hosted.first(1<<30, http.MethodGet, reset)
		management.remove(capiPath)
		hasty(p)
		_, err := c.Get(t.Context(), queueKey("a"))
		wantReason(t, err, ReasonOffline)
		wantReason(t, c.VerifyPin(t.Context(), full), ReasonHostedGone)
	})
	t.Run("honours the context while another asks", func(t *testing.T) {
		management, _, p := twoClusters(t)
		asked := make(chan struct{})
		release := make(chan struct{})
		var once sync.Once
		management.intercept(func(http.ResponseWriter, *http.Request) bool {
			once.Do(func() { close(asked) })
			<-release
			return false
		})
		first := make(chan error, 1)
		go func() {
			_, err := p.Management().Pin(t.Context())
			first <- err
		}()
		<-asked
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := p.Management().Pin(ctx)
		wantReason(t, err, ReasonCancelled)
		if !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		close(release)
		if err := <-first; err != nil {
			t.Error(err)
		}
	})
}

func unserve(f *fakeAPI, path string) {
	f.interceptFirst(func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path != path {
			return false
		}
		http.Error(w, "404 page not found", http.StatusNotFound)
		return true
	})
}

func deny(f *fakeAPI, path string) {
	f.intercept(func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path != path {
			return false
		}
		status(w, 403, "Forbidden", `clusters is forbidden: User "u" cannot get resource "clusters"`, nil)
		return true
	})
}
