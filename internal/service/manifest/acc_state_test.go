package manifest_test

import (
	"fmt"
	"testing"

	"k8s.io/client-go/rest"

	"github.com/k0smos/terraform-provider-k0smos/internal/acctest"
	"github.com/k0smos/terraform-provider-k0smos/internal/acctest/faultproxy"
)

func TestAccOnlyA404OfTheObjectTakesItFromTheState(t *testing.T) {
	t.Parallel()
	everything := faultproxy.Match{}
	tests := map[string]struct {
		match faultproxy.Match
		do    faultproxy.Action
		says  string
	}{
		"the server cannot be reached":    {everything, faultproxy.ResetBefore(), "reachable"},
		"the server fails":                {everything, faultproxy.Answer(500, "InternalError", "broken"), "broken"},
		"the credentials are not valid":   {everything, faultproxy.Answer(401, "Unauthorized", "Unauthorized"), "401"},
		"the right to read is missing":    {onWidgets("", faultproxy.DryOrReal), faultproxy.Answer(403, "Forbidden", `widgets.acctest.k0smos.io "w" is forbidden: User "u" cannot get resource "widgets"`), "forbidden"},
		"the kind is not served":          {faultproxy.Match{Path: "^/apis/acctest.k0smos.io/"}, notServed, "Widget"},
		"a proxy on the way answers 404":  {everything, notKubernetes, ""},
		"a gateway on the way answers ok": {everything, welcomePage, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := startProxied(t, "{replicas: 2}")
			s.Apply(t)
			fault := s.proxy.Add(faultproxy.Rule{Match: test.match, Do: test.do})
			s.Plan(t).Failed(t, test.says)
			kept(t, s.Workdir)
			s.Do(t, "apply", "-refresh-only", "-auto-approve", "-no-color").Failed(t, test.says)
			kept(t, s.Workdir)
			s.TryDestroy(t).Failed(t, test.says)
			kept(t, s.Workdir)
			fault.Remove()
			unchanged(t, s.Workdir)
		})
	}
}

func TestAccAnotherClusterBehindTheSameAddressIsAnError(t *testing.T) {
	t.Parallel()
	s := startProxied(t, "{replicas: 2}")
	s.Apply(t)
	rebuilt := acctest.OwnServer(t)
	transport, err := rest.TransportFor(rebuilt.Config)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.proxy.SetUpstream(faultproxy.Upstream{URL: rebuilt.Config.Host, Transport: transport}); err != nil {
		t.Fatal(err)
	}
	rebuilt.ApplyAs(t, "acctest", fmt.Sprintf("{apiVersion: v1, kind: Namespace, metadata: {name: %s}}", s.namespace))
	t.Run("in a plan", func(t *testing.T) {
		s.Plan(t).Failed(t, "not the cluster that the state was made in")
		kept(t, s.Workdir)
	})
	t.Run("in an apply without refresh", func(t *testing.T) {
		s.now(t, "{replicas: 3}")
		s.TryApply(t, "-refresh=false").Failed(t, "not the cluster that the state was made in")
		kept(t, s.Workdir)
		if rebuilt.Find(t, s.key) != nil {
			t.Error("the object was made in the wrong cluster")
		}
	})
	t.Run("in a destroy without refresh, of an object that is there too", func(t *testing.T) {
		rebuilt.ApplyAs(t, "another-tool", widget(s.namespace, "w", "{replicas: 9}"))
		s.Do(t, "destroy", "-refresh=false", "-auto-approve", "-no-color").Failed(t, "not the cluster that the state was made in")
		kept(t, s.Workdir)
		if rebuilt.Find(t, s.key) == nil {
			t.Error("the object was deleted in the wrong cluster")
		}
	})
}

var (
	notServed     = page(404, "text/plain", "404 page not found\n")
	notKubernetes = page(404, "text/html", "<html><body><h1>404 Not Found</h1></body></html>")
	welcomePage   = page(200, "text/html", "<html><body>Please log in</body></html>")
)
