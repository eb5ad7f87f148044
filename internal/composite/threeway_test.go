package composite

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

func TestWhatDidNotChangeKeepsItsSpelling(t *testing.T) {
	text := func(s string) tftypes.Value { return tftypes.NewValue(tftypes.String, s) }
	none := tftypes.NewValue(tftypes.String, nil)
	of := tftypes.Map{ElementType: tftypes.String}
	mapped := func(entries ...string) tftypes.Value {
		out := map[string]tftypes.Value{}
		for i := 0; i+1 < len(entries); i += 2 {
			out[entries[i]] = text(entries[i+1])
		}
		return tftypes.NewValue(of, out)
	}
	nothing := tftypes.NewValue(of, nil)
	pair := tftypes.Object{AttributeTypes: map[string]tftypes.Type{"a": tftypes.String, "b": tftypes.String}}
	object := func(a, b tftypes.Value) tftypes.Value {
		return tftypes.NewValue(pair, map[string]tftypes.Value{"a": a, "b": b})
	}
	absent := tftypes.NewValue(pair, nil)

	tests := map[string]struct{ base, before, after, want tftypes.Value }{
		"nothing changed":                        {text("1000m"), text("1"), text("1"), text("1000m")},
		"a value changed":                        {text("1000m"), text("1"), text("2"), text("2")},
		"a default that is left out stays so":    {none, text("1Gi"), text("1Gi"), none},
		"a default that is left out and changed": {none, text("1Gi"), text("2Gi"), text("2Gi")},
		"one attribute of an object":             {object(text("1000m"), none), object(text("1"), text("x")), object(text("2"), text("x")), object(text("2"), none)},
		"an object that is left out":             {absent, object(text("1"), text("x")), object(text("1"), text("y")), object(none, text("y"))},
		"an object that came to be":              {absent, absent, object(text("1"), none), object(text("1"), none)},
		"an object that is gone":                 {object(text("1"), none), object(text("1"), none), absent, absent},
		"one entry of a map":                     {mapped("a", "1000m", "b", "2000m"), mapped("a", "1", "b", "2"), mapped("a", "1", "b", "3"), mapped("a", "1000m", "b", "3")},
		"a new entry":                            {mapped("a", "1000m"), mapped("a", "1"), mapped("a", "1", "b", "2"), mapped("a", "1000m", "b", "2")},
		"an entry that is gone":                  {mapped("a", "1000m", "b", "2000m"), mapped("a", "1", "b", "2"), mapped("b", "2"), mapped("b", "2000m")},
		"a map that is left out":                 {nothing, mapped("a", "1"), mapped("a", "1", "b", "2"), mapped("b", "2")},
		"a map that is gone":                     {mapped("a", "1"), mapped("a", "1"), nothing, nothing},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := mergeThree(test.base, test.before, test.after); !got.Equal(test.want) {
				t.Errorf("got %s", got)
			}
		})
	}
}
