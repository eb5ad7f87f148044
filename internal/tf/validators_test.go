package tf

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"pgregory.net/rapid"
)

func problem(t interface{ Helper() }, v validator.String, value types.String) string {
	t.Helper()
	resp := &validator.StringResponse{}
	v.ValidateString(context.Background(), validator.StringRequest{Path: path.Root("x"), ConfigValue: value}, resp)
	var all []string
	for _, d := range resp.Diagnostics {
		all = append(all, d.Detail())
	}
	return strings.Join(all, "\n")
}

func TestTextsAreTakenOrRefusedWithTheReason(t *testing.T) {
	engine := OneOf(Choice{"kai", "the KAI scheduler"}, Choice{"kueue", "Kueue"})
	long := strings.Repeat("a", 63)
	for name, c := range map[string]struct {
		v      validator.String
		taken  []string
		wrong  map[string]string
		sample string
	}{
		"DNS label": {DNSLabel(40), []string{"a", "0", "train-quebec", long[:40]}, map[string]string{
			"": "it is empty", long: "it has 63 characters, 23 more than fit", "A": "upper case letter 'A'", "a.b": "the character '.'", "-a": "a hyphen must", "a-": "a hyphen must",
			"é": "the character 'é'", "a b": "the character ' '", "\x00": `the character '\x00'`,
		}, "train-quebec"},
		"DNS subdomain": {DNSSubdomain(), []string{"a", "a.b", "cilium.v1", strings.Repeat("a", 253)}, map[string]string{
			strings.Repeat("a", 254): "254 characters", "a..b": "a dot must", ".a": "a dot must", "a-.b": "a hyphen must", "A.b": "upper case",
		}, "cilium.v1"},
		"host": {HostOrIP(), []string{"a", "gpu-1.qc.example.com", "203.0.113.10", "2001:db8::10", "fe80::1%eth0", "example.com.", "GPU"}, map[string]string{
			"": "it is empty", "https://a": "a scheme", "a:22": "a port", "203.0.113.10:22": "a port", "[::1]": "brackets", "10.0.0.0/8": "a prefix length", "1.2.3": "looks like an IPv4",
			"1.2.3.256": "looks like an IPv4", "root@a": "a user", "a b": `"a b" cannot`, "a..b": `"" cannot`, "-a": "cannot", long + "a.b": "cannot", strings.Repeat("a.", 130): "260 characters", ".": "looks like",
		}, "203.0.113.10"},
		"network": {NetworkCIDR(), []string{"10.244.0.0/16", "fd00::/8", "0.0.0.0/0"}, map[string]string{
			"10.244.0.0": "the prefix length is missing", "10.244.0.1/16": `the network is "10.244.0.0/16"`, "10.0.0.0/33": "no address with a prefix length", "": "missing",
		}, "10.244.0.0/16"},
		"choice":                {engine, []string{"kai", "kueue"}, map[string]string{"": "none of the values", "KAI": `"kai" is meant`, "yarn": `one of "kai", "kueue"`}, `"kai"`},
		"positive quantity":     {PositiveQuantity(), []string{"1n", "64Gi", "left to the type"}, map[string]string{"0": "not above zero", "-1": "not above zero"}, "64Gi"},
		"non-negative quantity": {NonNegativeQuantity(), []string{"0", "1", "left to the type"}, map[string]string{"-1m": "below zero"}, "64Gi"},
		"positive duration":     {PositiveDuration(), []string{"1ns", "15m", "left to the type"}, map[string]string{"0": "not above zero", "-1s": "not above zero"}, "15m"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, text := range c.taken {
				if got := problem(t, c.v, types.StringValue(text)); got != "" {
					t.Errorf("%q is refused: %s", text, got)
				}
			}
			for text, want := range c.wrong {
				got := problem(t, c.v, types.StringValue(text))
				for _, part := range []string{want, "Allowed: ", "Example: ", c.sample} {
					if !strings.Contains(got, part) {
						t.Errorf("%q: %q does not say %q", text, got, part)
					}
				}
			}
			for _, open := range []types.String{types.StringNull(), types.StringUnknown()} {
				if got := problem(t, c.v, open); got != "" {
					t.Errorf("%s is refused: %s", open, got)
				}
			}
			if c.v.Description(t.Context()) == "" || c.v.MarkdownDescription(t.Context()) == "" {
				t.Error("it has no description for the documentation")
			}
		})
	}
}

func TestNoTextMakesAValidatorPanic(t *testing.T) {
	all := []validator.String{DNSLabel(63), DNSSubdomain(), HostOrIP(), NetworkCIDR(), OneOf(), PositiveQuantity(), NonNegativeQuantity(), PositiveDuration()}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.StringMatching(`[-a-zA-Z0-9.:/@\[\]%]{0,70}`)).Draw(t, "text")
		for _, v := range all {
			problem(t, v, types.StringValue(text))
		}
	})
}

func TestPortsAreWithinTheirRange(t *testing.T) {
	for value, ok := range map[types.Int64]bool{
		types.Int64Value(1): true, types.Int64Value(65535): true, types.Int64Null(): true, types.Int64Unknown(): true,
		types.Int64Value(0): false, types.Int64Value(65536): false, types.Int64Value(-1): false,
	} {
		resp := &validator.Int64Response{}
		Port().ValidateInt64(t.Context(), validator.Int64Request{Path: path.Root("port"), ConfigValue: value}, resp)
		if resp.Diagnostics.HasError() == ok {
			t.Errorf("%s: %v", value, resp.Diagnostics)
		}
	}
}

func TestLabelsAndAnnotationsAreWhatKubernetesTakes(t *testing.T) {
	long := strings.Repeat("x", 64)
	for name, c := range map[string]struct {
		v      validator.Map
		values map[string]types.String
		wrong  []string
	}{
		"good labels":                    {Labels(), map[string]types.String{"team": types.StringValue("a_B.c-1"), "example.com/x": types.StringValue(""), "later": types.StringUnknown()}, nil},
		"a label value too long":         {Labels(), map[string]types.String{"team": types.StringValue(long)}, []string{`is not a valid value of the label "team"`}},
		"a label key with two slashes":   {Labels(), map[string]types.String{"a/b/c": types.StringValue("x")}, []string{`"a/b/c" is not a valid label key`}},
		"an upper case label prefix":     {Labels(), map[string]types.String{"Example.com/x": types.StringValue("x")}, []string{"not a valid label key"}},
		"a label that is null":           {Labels(), map[string]types.String{"team": types.StringNull()}, []string{`The label "team" is null`}},
		"two wrong labels":               {Labels(), map[string]types.String{"": types.StringValue("x"), "b": types.StringValue("#")}, []string{`"" is not`, `"#" is not`}},
		"good annotations":               {Annotations(), map[string]types.String{"Example.com/x": types.StringValue("any text at all\n" + long)}, nil},
		"annotations that are too large": {Annotations(), map[string]types.String{"a": types.StringValue(strings.Repeat("x", 256<<10))}, []string{"together have 262145 bytes"}},
	} {
		t.Run(name, func(t *testing.T) {
			m, diags := MapOf(c.values).ToMapValue(t.Context())
			if diags.HasError() {
				t.Fatal(diags)
			}
			resp := &validator.MapResponse{}
			c.v.ValidateMap(t.Context(), validator.MapRequest{Path: path.Root("labels"), ConfigValue: m}, resp)
			got := map[string]bool{}
			for _, d := range resp.Diagnostics {
				got[d.Detail()] = true
			}
			if len(got) != len(c.wrong) {
				t.Fatalf("diagnostics: %v", resp.Diagnostics)
			}
			all := strings.Join(slices.Sorted(maps.Keys(got)), "\n")
			for _, want := range c.wrong {
				if !strings.Contains(all, want) {
					t.Errorf("%q does not say %q", all, want)
				}
			}
		})
	}
	for _, v := range []types.Map{types.MapNull(types.StringType), types.MapUnknown(types.StringType)} {
		resp := &validator.MapResponse{}
		Labels().ValidateMap(t.Context(), validator.MapRequest{ConfigValue: v}, resp)
		if len(resp.Diagnostics) > 0 {
			t.Errorf("%s: %v", v, resp.Diagnostics)
		}
	}
}

func TestChoicesSayTheirMeaningAndTheDefault(t *testing.T) {
	got := Choices(Choice{"kai", "the KAI scheduler"}, Choice{"kueue", "Kueue"})
	if want := "`kai` (default): the KAI scheduler; `kueue`: Kueue."; got != want {
		t.Errorf("got %q", got)
	}
}
