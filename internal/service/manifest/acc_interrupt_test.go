package manifest_test

import (
	"testing"
	"time"

	"github.com/k0smos/terraform-provider-k0smos/internal/acctest"
	"github.com/k0smos/terraform-provider-k0smos/internal/acctest/cli"
	"github.com/k0smos/terraform-provider-k0smos/internal/acctest/faultproxy"
)

// interrupted starts a command and interrupts it when the proxy sees a request; the request then goes on, slowly, so
// that the interrupt falls into its middle.
func (s *setup) interrupted(t *testing.T, at faultproxy.Match, do faultproxy.Action, arguments ...string) cli.Result {
	t.Helper()
	started := make(chan *cli.Run, 1)
	rule := s.proxy.Add(faultproxy.Rule{Name: "interrupt", Match: at, Times: 1, Do: faultproxy.Chain(
		faultproxy.Call(func() { (<-started).Interrupt() }), do,
	)})
	run := s.Start(t, append(arguments, "-no-color")...)
	started <- run
	result := run.Wait()
	if rule.Fired() == 0 {
		t.Fatalf("the moment of the interrupt never came:\n%s", result.Output)
	}
	rule.Remove()
	return result
}

const slowly = 2 * time.Second

func TestAccAnInterruptInThePlanLeavesNothing(t *testing.T) {
	t.Parallel()
	s := startProxied(t, "{replicas: 2}")
	result := s.interrupted(t, onWidgets("apply", faultproxy.OnlyDry), faultproxy.Delay(slowly), "apply", "-auto-approve")
	if result.Code == 0 {
		t.Errorf("the command succeeded:\n%s", result.Output)
	}
	if len(s.State(t)) != 0 || s.api.Find(t, s.key) != nil {
		t.Error("there is something in state or cluster")
	}
	s.Apply(t)
	unchanged(t, s.Workdir)
}

func TestAccAnInterruptInTheMiddleOfAWriteFinishesIt(t *testing.T) {
	t.Parallel()
	for name, do := range map[string]faultproxy.Action{
		"the request is on its way":      faultproxy.Delay(slowly),
		"the answer is on its way":       faultproxy.Chain(faultproxy.CallAfter(func() { time.Sleep(slowly) })),
		"the request is lost and resent": faultproxy.Chain(faultproxy.Delay(slowly), faultproxy.ResetBefore()),
		"the answer is lost":             faultproxy.Chain(faultproxy.Delay(slowly), faultproxy.ResetAfter()),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := startProxied(t, "{replicas: 2}")
			s.interrupted(t, onWidgets("apply", faultproxy.OnlyReal), do, "apply", "-auto-approve")
			if s.api.Find(t, s.key) != nil {
				kept(t, s.Workdir)
			}
			s.Apply(t)
			unchanged(t, s.Workdir)

			s.now(t, "{replicas: 3}")
			s.interrupted(t, onWidgets("apply", faultproxy.OnlyReal), do, "apply", "-auto-approve")
			kept(t, s.Workdir)
			s.Apply(t)
			unchanged(t, s.Workdir)
			equal(t, "replicas", s.live(t, "spec", "replicas"), int64(3))

			s.interrupted(t, onWidgets("delete", faultproxy.DryOrReal), do, "destroy", "-auto-approve")
			s.Destroy(t)
			s.api.AwaitGone(t, s.key)
		})
	}
}

func TestAccAnInterruptInTheReadLeavesTheState(t *testing.T) {
	t.Parallel()
	s := startProxied(t, "{replicas: 2}")
	s.Apply(t)
	s.interrupted(t, onWidgets("get", faultproxy.DryOrReal), faultproxy.Delay(slowly), "apply", "-auto-approve", "-refresh-only")
	kept(t, s.Workdir)
	unchanged(t, s.Workdir)
}

func TestAccAnInterruptInTheWaitOfADestroyIsResumed(t *testing.T) {
	t.Parallel()
	s := startProxied(t, "{replicas: 2}")
	s.Apply(t)
	s.hold(t)
	run := s.Start(t, "destroy", "-auto-approve", "-no-color")
	acctest.Eventually(t, "the deletion was asked for", func() bool {
		return over(run) || s.api.Get(t, s.key).GetDeletionTimestamp() != nil
	})
	run.Interrupt()
	begun := time.Now()
	run.Wait().Failed(t, "example.com/hold")
	if took := time.Since(begun); took > 20*time.Second {
		t.Errorf("the interrupt took %v", took)
	}
	kept(t, s.Workdir)
	s.letGo(t)
	s.Destroy(t)
	s.api.AwaitGone(t, s.key)
}

func TestAccAWaitThatEndsEarlyIsResumedInPlace(t *testing.T) {
	t.Parallel()
	stop := map[string]struct {
		more []string
		end  func(*cli.Run)
		code int
		says string
	}{
		"by its timeout":    {[]string{timeout("create", "3s")}, func(*cli.Run) {}, 0, "is not ready"},
		"by an interrupt":   {nil, (*cli.Run).Interrupt, 1, "is not ready"},
		"with an exit code": {[]string{timeout("create", "3s"), `wait_failure = "error"`}, func(*cli.Run) {}, 1, "untaint"},
	}
	for name, test := range stop {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			api := acctest.SharedServer(t)
			namespace := api.Namespace(t)
			group := namespace + ".example.com"
			// Two definitions claim one kind: the second is not established until the first is gone.
			api.ApplyAs(t, "acctest", definition(group, "gears", "Gear"))
			first, second := crdKey("gears."+group), crdKey("cogs."+group)
			t.Cleanup(func() { api.Delete(t, first); api.Delete(t, second) })
			acctest.Eventually(t, "the first is established", func() bool {
				return condition(api.Get(t, first), "Established") == "True"
			})
			w := cli.New(t, api.ProviderBlock()+manifest("x", definition(group, "cogs", "Gear"), test.more...))
			run := w.StartApply(t)
			acctest.Eventually(t, "the second is refused its name", func() bool {
				live := api.Find(t, second)
				return over(run) || live != nil && condition(live, "NamesAccepted") == "False"
			})
			test.end(run)
			result := run.Wait()
			result.Says(t, test.says, "NamesAccepted", "kubectl describe")
			if result.Code != test.code {
				t.Errorf("code %d, want %d:\n%s", result.Code, test.code, result.Output)
			}
			if test.says == "untaint" {
				if !w.State(t)[address].Tainted {
					t.Error("the resource is not tainted")
				}
				w.Must(t, "untaint", address)
			}
			kept(t, w)
			uid := api.Get(t, second).GetUID()
			changes(t, w, map[string]string{address: "update"})
			api.Delete(t, first)
			w.Apply(t)
			unchanged(t, w)
			equal(t, "uid", api.Get(t, second).GetUID(), uid)
		})
	}
}
