package manifest_test

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/k0smos/terraform-provider-k0smos/internal/acctest"
	"github.com/k0smos/terraform-provider-k0smos/internal/acctest/cli"
	"github.com/k0smos/terraform-provider-k0smos/internal/acctest/faultproxy"
)

func TestAccPassingFaultsDoNotShow(t *testing.T) {
	t.Parallel()
	faults := map[string]faultproxy.Action{
		"the connection is reset on the way there": faultproxy.ResetBefore(),
		"the answer is lost":                       faultproxy.ResetAfter(),
		"the answer ends in its middle":            faultproxy.CutBody(40),
		"the server is too busy":                   faultproxy.TooMany(time.Second),
		"the server fails":                         faultproxy.Answer(500, "InternalError", "etcdserver: leader changed"),
		"the server is not available":              faultproxy.Answer(503, "ServiceUnavailable", "apiserver is shutting down"),
		"the server is slow":                       faultproxy.Delay(3 * time.Second),
	}
	for name, fault := range faults {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := startProxied(t, "{replicas: 2}")
			for _, step := range []struct {
				what string
				at   faultproxy.Match
				do   func()
			}{
				{"plan", onWidgets("apply", faultproxy.OnlyDry), func() { s.Plan(t).Worked(t, "1 to add") }},
				{"create", onWidgets("apply", faultproxy.OnlyReal), func() { s.Apply(t) }},
				{"read", onWidgets("get", faultproxy.DryOrReal), func() { unchanged(t, s.Workdir) }},
				{"update", onWidgets("apply", faultproxy.OnlyReal), func() { s.now(t, "{replicas: 3}"); s.Apply(t) }},
				{"delete", onWidgets("delete", faultproxy.DryOrReal), func() { s.Destroy(t) }},
			} {
				rule := s.proxy.Add(faultproxy.Rule{Name: name, Match: step.at, Times: 2, Do: fault})
				step.do()
				if rule.Fired() == 0 {
					t.Errorf("%s: the fault did not happen", step.what)
				}
				rule.Remove()
				if step.what == "create" || step.what == "update" {
					unchanged(t, s.Workdir)
				}
			}
			s.api.AwaitGone(t, s.key)
		})
	}
}

func TestAccACreateWhoseAnswersAreLostIsFoundAgain(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]faultproxy.Action{
		"every answer is reset":  faultproxy.ResetAfter(),
		"no answer ever arrives": faultproxy.HangAfter(),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := startProxied(t, "{replicas: 2}", timeout("create", "60s"))
			lost := s.proxy.Add(faultproxy.Rule{Match: onWidgets("apply", faultproxy.OnlyReal), Do: fault})
			first := s.TryApply(t)
			if lost.Fired() == 0 {
				t.Fatal("the fault did not happen")
			}
			lost.Remove()
			// Whatever the first run said, the next one has to come to the declared end by itself.
			if again := s.TryApply(t); again.Code != 0 {
				t.Fatalf("the object is orphaned. First run:\n%s\nSecond run:\n%s", first.Output, again.Output)
			}
			kept(t, s.Workdir)
			unchanged(t, s.Workdir)
		})
	}
}

func TestAccTheServersPaceIsKept(t *testing.T) {
	t.Parallel()
	s := startProxied(t, "{replicas: 2}")
	busy := s.proxy.Add(faultproxy.Rule{Name: "busy", Match: onWidgets("apply", faultproxy.OnlyReal), Times: 2, Do: faultproxy.TooMany(2 * time.Second)})
	s.Apply(t)
	if busy.Fired() != 2 {
		t.Fatalf("fired %d times", busy.Fired())
	}
	requests := s.proxy.Matching(onWidgets("apply", faultproxy.OnlyReal))
	for i := 1; i < len(requests); i++ {
		if pause := requests[i].Time.Sub(requests[i-1].Time); pause < 1900*time.Millisecond {
			t.Errorf("request %d came %v after a 429 that asked for 2 s", i+1, pause)
		}
	}
}

func TestAccAWebhookThatFailsTwiceAndThenWorks(t *testing.T) {
	t.Parallel()
	s := start(t, "{replicas: 2}")
	var calls atomic.Int32
	s.api.Webhook(t, acctest.Widgets, s.namespace, false, func(r acctest.Review) acctest.Verdict {
		if !r.DryRun && calls.Add(1) <= 2 {
			return acctest.Verdict{Status: 500}
		}
		return acctest.Verdict{}
	})
	s.Apply(t)
	if calls.Load() < 3 {
		t.Errorf("the webhook was called %d times", calls.Load())
	}
	unchanged(t, s.Workdir)
}

func TestAccAWebhookThatChangesWhatWeDeclareIsNoDrift(t *testing.T) {
	t.Parallel()
	s := start(t, "{replicas: 2, image: nginx}")
	s.api.Webhook(t, acctest.Widgets, s.namespace, true, func(r acctest.Review) acctest.Verdict {
		if spec, ok := r.Object["spec"].(map[string]any); ok && spec["image"] != nil {
			return acctest.Verdict{Patch: `[{"op":"replace","path":"/spec/image","value":"mirror.example.com/nginx"},{"op":"add","path":"/metadata/annotations/injected","value":"yes"}]`}
		}
		return acctest.Verdict{}
	})
	s.Apply(t)
	unchanged(t, s.Workdir)
}

func TestAccATokenIsRenewedInTheMiddleOfAnApply(t *testing.T) {
	t.Parallel()
	api := acctest.SharedServer(t)
	proxy := api.Proxy(t)
	namespace := api.Namespace(t)
	block := acctest.ProviderBlock(
		fmt.Sprintf("host = %q", proxy.URL()),
		fmt.Sprintf("token_path = %q", proxy.TokenFile()),
		"cluster_ca_certificate = <<-PEM\n"+string(proxy.CA())+"  PEM")
	w := cli.New(t, block+manifest("x", widget(namespace, "w", "{replicas: 1}"))+
		manifest("y", widget(namespace, "v", "{replicas: 1}"), "depends_on = [k0smos_manifest.x]"))
	old := proxy.Token()
	expiry := proxy.Add(faultproxy.Rule{Match: onWidgets("apply", faultproxy.OnlyReal), Times: 1, Do: faultproxy.CallAfter(func() {
		proxy.ExpireToken()
		if err := proxy.RenewToken(); err != nil {
			t.Error(err)
		}
	})})
	w.Apply(t)
	if expiry.Fired() != 1 || proxy.Token() == old {
		t.Fatal("the token did not expire")
	}
	unchanged(t, w)

	t.Run("one that is not renewed is an error that keeps the state and the token", func(t *testing.T) {
		proxy.ExpireToken()
		result := w.Plan(t)
		result.Failed(t, "401")
		if strings.Contains(result.Output, "token-") {
			t.Errorf("the token is in the output:\n%s", result.Output)
		}
		kept(t, w)
		if err := proxy.RenewToken(); err != nil {
			t.Fatal(err)
		}
		unchanged(t, w)
	})
}

func TestAccAServerThatRestartsLosesNothing(t *testing.T) {
	t.Parallel()
	server := acctest.OwnServer(t)
	namespace := server.Namespace(t)
	var text strings.Builder
	text.WriteString(server.ProviderBlock())
	for i := range 40 {
		text.WriteString(manifest(fmt.Sprintf("w%d", i), widget(namespace, fmt.Sprintf("w%d", i), "{replicas: 1}")))
	}
	w := cli.New(t, text.String())
	run := w.StartApply(t, "-parallelism=4")
	acctest.Eventually(t, "the apply has begun", func() bool { return server.Find(t, widgetKey(namespace, "w7")) != nil || over(run) })
	if err := server.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := server.Process.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	run.Wait().Worked(t, "40 added")
	unchanged(t, w)
}

func over(run *cli.Run) bool {
	select {
	case <-run.Done():
		return true
	default:
		return false
	}
}
