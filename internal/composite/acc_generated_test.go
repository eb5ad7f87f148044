package composite_test

import (
	"encoding/base64"
	"fmt"
	"sync/atomic"
	"testing"

	tftest "github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/k0smos/terraform-provider-k0smos/internal/acctest"
	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
)

// keyed is a set that generates a key: every one made is another canary.
func keyed(made *atomic.Int64) composite.Kind[model] {
	kind := set()
	kind.Generated = func(m model) []composite.Generated {
		if m.Rotation.IsNull() {
			return nil
		}
		return []composite.Generated{{
			Name: "key", Namespace: m.Namespace.ValueString(), Secret: m.Name.ValueString() + "-key", Key: "key", Rotation: m.Rotation.ValueInt64(),
			Make: func() ([]byte, error) { return []byte(keyNumber(made.Add(1))), nil },
		}}
	}
	return kind
}

func keyNumber(n int64) string { return acctest.Canary(fmt.Sprintf("key-%d", n)) }

// holdsKey fails the test unless the Secret holds the key of this number.
func (b *bench) holdsKey(t *testing.T, n int64) {
	t.Helper()
	data, _ := b.Get(t, b.key(acctest.Secrets, "x-key")).Object["data"].(map[string]any)
	equal(t, "key in the Secret", data["key"], any(base64.StdEncoding.EncodeToString([]byte(keyNumber(n)))))
}

func TestAccAGeneratedSecretIsMadeOnceAndIsOnlyInItsSecret(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	var made atomic.Int64
	written := &paper{dir: t.TempDir()}
	output := tfjsonpath.New("fingerprint")
	prints := func(n int64) knownvalue.Check { return knownvalue.StringExact(fingerprint([]byte(keyNumber(n)))) }
	step := func(key int64, plan []plancheck.PlanCheck, lines ...string) tftest.TestStep {
		return tftest.TestStep{
			Config:            b.config(lines...),
			ConfigPlanChecks:  planned(append(plan, written)...),
			ConfigStateChecks: []statecheck.StateCheck{written, statecheck.ExpectKnownValue(address, output, prints(key))},
			Check: func(*terraform.State) error {
				b.holdsKey(t, key)
				equal(t, "keys made so far", made.Load(), key)
				return nil
			},
		}
	}
	tftest.UnitTest(t, tftest.TestCase{
		ProtoV6ProviderFactories: b.serving(keyed(&made)),
		Steps: []tftest.TestStep{
			step(1, []plancheck.PlanCheck{plancheck.ExpectUnknownValue(address, output)}, "rotation = 1"),
			step(1, []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}, "rotation = 1"),
			step(1, []plancheck.PlanCheck{inPlace(), plancheck.ExpectKnownValue(address, output, prints(1))}, "rotation = 1", "size = 2", `labels = { a = "b" }`),
			step(2, []plancheck.PlanCheck{inPlace(), plancheck.ExpectUnknownValue(address, output)}, "rotation = 2", "size = 2"),
		},
	})
	if err := written.write(b.talk.bytes); err != nil {
		t.Fatal(err)
	}
	acctest.NoCanary(t, []string{keyNumber(1), keyNumber(2)}, written.dir)
}

func TestAccAGeneratedSecretOutlivesACreateThatDidNotFinish(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		part   string // what the create stops at
		before func(*bench)
		after  func(*bench)
	}{
		"an object is in the way that does not go": {
			part: "ConfigMap/a",
			before: func(b *bench) {
				b.ApplyAs(t, "somebody", fmt.Sprintf("{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: %s, finalizers: [%s]}}", b.namespace, finalizer))
				b.Delete(t, b.key(acctest.ConfigMaps, "a"))
			},
			after: func(b *bench) {
				b.EditAs(t, "controller", b.key(acctest.ConfigMaps, "a"), func(o map[string]any) {
					if metadata, ok := o["metadata"].(map[string]any); ok {
						delete(metadata, "finalizers")
					}
				})
			},
		},
		"an object does not get ready": {
			part:   "Widget/w=slow",
			before: func(*bench) {},
			after: func(b *bench) {
				b.EditStatusAs(t, "controller", b.key(acctest.Widgets, "w"), map[string]any{"image": "slow"})
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			var made atomic.Int64
			config := b.config("rotation = 1", parts(test.part), "timeouts {\n create = \"1s\"\n }")
			tftest.UnitTest(t, tftest.TestCase{
				ProtoV6ProviderFactories: b.serving(keyed(&made)),
				Steps: []tftest.TestStep{
					{
						PreConfig:          func() { test.before(b) },
						Config:             config,
						ExpectNonEmptyPlan: true,
						ConfigStateChecks:  []statecheck.StateCheck{statecheck.ExpectKnownValue(address, tfjsonpath.New("revision"), knownvalue.StringExact("pending"))},
						Check: func(*terraform.State) error {
							b.holdsKey(t, 1)
							return nil
						},
					},
					{
						PreConfig:        func() { test.after(b) },
						Config:           config,
						ConfigPlanChecks: planned(inPlace()),
						Check: func(*terraform.State) error {
							b.holdsKey(t, 1)
							equal(t, "keys made", made.Load(), 1)
							return nil
						},
					},
				},
			})
		})
	}
}

func TestAccARotationThatWasInterruptedIsNotMadeTwice(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	var made atomic.Int64
	tftest.UnitTest(t, tftest.TestCase{
		ProtoV6ProviderFactories: b.serving(keyed(&made)),
		Steps: []tftest.TestStep{
			{Config: b.config("rotation = 1")},
			{
				PreConfig: func() {
					b.ApplyAs(t, "somebody", fmt.Sprintf("{apiVersion: v1, kind: ConfigMap, metadata: {name: taken, namespace: %s}}", b.namespace))
				},
				Config:      b.config("rotation = 2", parts("ConfigMap/taken")),
				ExpectError: saying("ConfigMap/" + b.namespace + "/taken exists already"),
			},
			{
				PreConfig:         func() { b.holdsKey(t, 2) },
				Config:            b.config("rotation = 2"),
				ConfigPlanChecks:  planned(inPlace()),
				ConfigStateChecks: []statecheck.StateCheck{statecheck.ExpectKnownValue(address, tfjsonpath.New("fingerprint"), knownvalue.StringExact(fingerprint([]byte(keyNumber(2)))))},
				Check: func(*terraform.State) error {
					b.holdsKey(t, 2)
					equal(t, "keys made", made.Load(), 2)
					return nil
				},
			},
		},
	})
}
