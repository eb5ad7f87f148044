package tf

import (
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr/xattr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"pgregory.net/rapid"
)

func TestQuantitiesCompareByValue(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"1", "1000m", true}, {"1Gi", "1024Mi", true}, {"1e3", "1k", true}, {"0", "0Gi", true}, {"0.5", "500m", true}, {"+1", "1.0", true}, {".5", "5e-1", true},
		{"1", "2", false}, {"1G", "1Gi", false}, {"-1", "1", false},
		{"nonsense", "nonsense", true}, {"nonsense", "1", false},
	} {
		a, b := QuantityOf(c.a), QuantityOf(c.b)
		same, diags := a.StringSemanticEquals(t.Context(), b)
		back := b.SameAs(a)
		if same != c.want || back != c.want || diags.HasError() {
			t.Errorf("%s and %s: same %t, backwards %t, want %t (%v)", a, b, same, back, c.want, diags)
		}
		if a.Equal(b) != (c.a == c.b) {
			t.Errorf("%s equals %s in spelling: %t", a, b, a.Equal(b))
		}
	}
	if NullQuantity().SameAs(UnknownQuantity()) || QuantityOf("0").SameAs(NullQuantity()) || !NullQuantity().SameAs(NullQuantity()) {
		t.Error("null, unknown and zero are not kept apart")
	}
	if same, _ := QuantityOf("1").StringSemanticEquals(t.Context(), types.StringValue("1")); same {
		t.Error("a quantity is the same as a plain string")
	}
}

func TestTextsThatCannotBeReadAreRefused(t *testing.T) {
	for name, c := range map[string]struct {
		value xattr.ValidateableAttribute
		want  []string
	}{
		"a quantity with a space":       {QuantityOf("1 Gi"), []string{`"1 Gi" is not a quantity`, "64Gi"}},
		"a quantity with a wrong unit":  {QuantityOf("1GB"), []string{`"1GB"`}},
		"an empty quantity":             {QuantityOf(""), []string{`""`}},
		"a quantity of enormous size":   {QuantityOf("1e-2147483647"), []string{"e with an exponent"}},
		"a quantity of many digits":     {QuantityOf(strings.Repeat("9", 5000)), []string{"...", "40 digits"}},
		"a duration without a unit":     {DurationOf("15"), []string{`"15" is not a duration`, `"15m"`}},
		"a duration in days":            {DurationOf("1d"), []string{"days are written as hours"}},
		"a version without a patch":     {VersionOf("1.35"), []string{"the patch is missing", "v1.35.4+k0s.0"}},
		"a pre-release":                 {VersionOf("v1.36.0-rc.1+k0s.0"), []string{"pre-releases are not supported"}},
		"a version that is a word":      {VersionOf("latest"), []string{`"latest" is not a k0s version. Allowed`}},
		"a version of another product":  {VersionOf("v1.35.4+rke2r1"), []string{"k0s build"}},
		"a version with a leading zero": {VersionOf("1.035.4"), []string{"not a k0s version"}},
		"an element of a map":           {MapOf(map[string]Quantity{"good": QuantityOf("1"), "bad": QuantityOf("x")}), []string{`"x" is not`}},
		"an element of a list in a map": {MapOf(map[string]List[Duration]{"a": ListOf(DurationOf("x"))}), []string{`"x" is not`}},
	} {
		t.Run(name, func(t *testing.T) {
			resp := &xattr.ValidateAttributeResponse{}
			c.value.ValidateAttribute(t.Context(), xattr.ValidateAttributeRequest{Path: path.Root("size")}, resp)
			if resp.Diagnostics.ErrorsCount() != 1 {
				t.Fatalf("diagnostics: %v", resp.Diagnostics)
			}
			detail := resp.Diagnostics[0].Detail()
			for _, want := range c.want {
				if !strings.Contains(detail, want) {
					t.Errorf("%q does not say %q", detail, want)
				}
			}
			if !strings.HasSuffix(detail, ".") || len(detail) > 600 {
				t.Errorf("not a sentence to read: %q", detail)
			}
		})
	}
	for _, v := range []xattr.ValidateableAttribute{NullQuantity(), UnknownQuantity(), NullDuration(), UnknownDuration(), NullVersion(), UnknownVersion(), NullMap[Quantity](), UnknownMap[Quantity](),
		ListOf(UnknownQuantity(), NullQuantity()), NullManifest(), UnknownManifest()} {
		resp := &xattr.ValidateAttributeResponse{}
		v.ValidateAttribute(t.Context(), xattr.ValidateAttributeRequest{}, resp)
		if len(resp.Diagnostics) > 0 {
			t.Errorf("%T: %v", v, resp.Diagnostics)
		}
	}
	resp := &function.ValidateParameterResponse{}
	VersionOf("x").ValidateParameter(t.Context(), function.ValidateParameterRequest{Position: 1}, resp)
	if resp.Error == nil || *resp.Error.FunctionArgument != 1 {
		t.Errorf("function argument: %v", resp.Error)
	}
}

func TestDurationsCompareByValue(t *testing.T) {
	if !DurationOf("90m").SameAs(DurationOf("1h30m")) || DurationOf("1m").SameAs(DurationOf("2m")) {
		t.Error("durations do not compare by value")
	}
	if d, ok := DurationOf("1h30m").Get(); !ok || d != 90*time.Minute {
		t.Errorf("got %s, %t", d, ok)
	}
	for _, d := range []Duration{NullDuration(), UnknownDuration(), DurationOf("x")} {
		if _, ok := d.Get(); ok {
			t.Errorf("%s has a value", d)
		}
	}
}

func TestVersionsAreOneInEverySpelling(t *testing.T) {
	for text, want := range map[string]string{
		"1.35.4": "v1.35.4+k0s.0", "v1.35.4": "v1.35.4+k0s.0", "v1.35.4+k0s.0": "v1.35.4+k0s.0", "1.35.4-k0s.0": "v1.35.4+k0s.0",
		"v1.35.4-k0s.12": "v1.35.4+k0s.12", "0.0.0": "v0.0.0+k0s.0",
	} {
		v, err := ParseVersion(text)
		if err != nil || v.String() != want || v.Tag() != strings.Replace(want, "+", "-", 1) {
			t.Errorf("%s: %s, tag %s, error %v", text, v, v.Tag(), err)
		}
		if !VersionOf(text).SameAs(VersionOf(want)) {
			t.Errorf("%s and %s are not the same", text, want)
		}
	}
	if VersionOf("1.35.4").SameAs(VersionOf("1.35.4+k0s.1")) {
		t.Error("two builds are the same")
	}
}

func TestVersionsAreOrderedAndCountedInMinors(t *testing.T) {
	version := func(text string) K0sVersion {
		v, err := ParseVersion(text)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	order := []string{"0.99.9", "1.9.0", "1.34.9", "1.35.4", "1.35.4+k0s.1", "1.35.10", "1.36.0", "2.0.0"}
	for i, a := range order {
		for j, b := range order {
			got := version(a).Compare(version(b))
			if (got < 0) != (i < j) || (got > 0) != (i > j) || version(a).AtLeast(version(b)) != (i >= j) {
				t.Errorf("%s against %s: %d", a, b, got)
			}
		}
	}
	for _, c := range []struct {
		from, to string
		want     int
	}{{"1.34.9", "1.34.0", 0}, {"1.34.9", "1.35.0", 1}, {"1.34.0", "1.36.2", 2}, {"1.35.0", "1.34.9", -1}} {
		if got := version(c.from).MinorsUpTo(version(c.to)); got != c.want {
			t.Errorf("%s to %s: %d minors", c.from, c.to, got)
		}
	}
	if n := version("1.35.0").MinorsUpTo(version("2.35.0")); n <= 1 {
		t.Errorf("a major version up is %d minors", n)
	}
	if n := version("2.9999.0").MinorsUpTo(version("1.0.0")); n >= 0 {
		t.Errorf("a major version down is %d minors", n)
	}
}

func TestAnyVersionSurvivesItsSpellings(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 9999)
		v := K0sVersion{n.Draw(t, "major"), n.Draw(t, "minor"), n.Draw(t, "patch"), n.Draw(t, "build")}
		for _, text := range []string{v.String(), v.Tag(), strings.TrimPrefix(v.String(), "v")} {
			if back, err := ParseVersion(text); err != nil || back != v {
				t.Fatalf("%s came back as %s (%v)", text, back, err)
			}
		}
	})
}

func FuzzParseVersion(f *testing.F) {
	for _, text := range []string{"1.35.4", "v1.35.4+k0s.0", "v1.35.4-k0s.0", "v1.36.0-rc.1+k0s.0", "1.35"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		v, err := ParseVersion(text)
		if err != nil {
			return
		}
		if again, err := ParseVersion(v.String()); err != nil || again != v {
			t.Errorf("%q became %s and then %s (%v)", text, v, again, err)
		}
	})
}

func FuzzQuantity(f *testing.F) {
	for _, text := range []string{"1", "1000m", "64Gi", "1e3", "1E-9", ".5k", "+9.9Ei", "-1", "999999999999999999.999999999999999999Ei", "1e-2147483647"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		q := QuantityOf(text)
		v, ok := q.Get()
		if ok && !q.SameAs(QuantityOf(v.String())) {
			t.Errorf("%q is not the same as %s", text, v.String())
		}
	})
}
