package composite

import "testing"

func TestOnlyOneResourceOfARunHoldsAnObject(t *testing.T) {
	p, at := &Provider{}, place{identity: "v1/ConfigMap/team/settings"}
	if other := p.hold(at, "first"); other != "" {
		t.Fatalf("a free place is held by %q", other)
	}
	if other := p.hold(at, "first"); other != "" {
		t.Errorf("who tries again is told of %q", other)
	}
	if other := p.hold(at, "second"); other != "first" {
		t.Errorf("the second one is told of %q", other)
	}
	p.free(at, "second")
	if other := p.hold(at, "second"); other != "first" {
		t.Error("who does not hold a place gave it back")
	}
	p.free(at, "first")
	if other := p.hold(at, "second"); other != "" {
		t.Errorf("a place that was given back is held by %q", other)
	}
}

func TestThatNothingIsThereIsKnownOnce(t *testing.T) {
	p, at := &Provider{}, place{identity: "v1/ConfigMap/team/settings"}
	p.noteAbsent(at)
	if !p.takeAbsent(at) || p.takeAbsent(at) {
		t.Error("absence must be told once and no more")
	}
}
