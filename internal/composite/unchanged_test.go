package composite

import "testing"

func TestAnotherRotationMakesAnUpdateApplyEverything(t *testing.T) {
	type model struct{ rotation int64 }
	r := &Resource[model]{kind: Kind[model]{Generated: func(m model) []Generated { return []Generated{{Name: "key", Rotation: m.rotation}} }}}
	if r.rotates(model{1}, model{1}) || !r.rotates(model{1}, model{2}) {
		t.Error("a rotation is another counter, and nothing else")
	}
}
