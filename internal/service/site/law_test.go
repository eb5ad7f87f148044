package site

import (
	"bytes"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"pgregory.net/rapid"

	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
	"github.com/k0smos/terraform-provider-k0smos/internal/composite/compositetest"
	"github.com/k0smos/terraform-provider-k0smos/internal/kube/ownership"
	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

// anyModel generates configurations that the checks accept, with attributes left out or written out as their defaults.
func anyModel(t *rapid.T) Model {
	m := compositetest.Null(Kind)
	m.Name, m.Namespace = types.StringValue("quebec"), types.StringValue("train")
	m.Region = text(t, "region", "ca-quebec", "us-east")
	m.Zone = text(t, "zone", "a", "b.2")
	m.Location = maybe(t, "location", tf.NullObject[Location](), rapid.Custom(func(t *rapid.T) tf.Object[Location] {
		return tf.ObjectOf(Location{types.Float64Value(rapid.Float64Range(-90, 90).Draw(t, "latitude")), types.Float64Value(rapid.Float64Range(-180, 180).Draw(t, "longitude"))})
	}))
	ssh := SSH{
		User: text(t, "user", "root", "k0s"), Port: maybe(t, "port", types.Int64Null(), rapid.Map(rapid.SampledFrom([]int64{22, 2222}), types.Int64Value)),
		UseSudo: maybe(t, "sudo", types.BoolNull(), rapid.Map(rapid.Bool(), types.BoolValue)), Secret: text(t, "secret", "vault", "quebec-ssh"),
	}
	if ssh.Secret.IsNull() {
		ssh.PrivateKeyVersion = maybe(t, "version", types.Int64Null(), rapid.Map(rapid.Int64(), types.Int64Value))
	}
	m.SSH = tf.ObjectOf(ssh)
	derive(&m, nil)
	return m
}

func maybe[V attr.Value](t *rapid.T, label string, null V, g *rapid.Generator[V]) V {
	if rapid.Bool().Draw(t, label+" left out") {
		return null
	}
	return g.Draw(t, label)
}

func text(t *rapid.T, label string, of ...string) types.String {
	return maybe(t, label, types.StringNull(), rapid.Map(rapid.SampledFrom(of), types.StringValue))
}

func requireSame(t compositetest.TB, want, got []composite.Object) {
	t.Helper()
	if a, b := compositetest.Text(t, want), compositetest.Text(t, got); !bytes.Equal(a, b) {
		t.Fatalf("%s", compositetest.Difference(string(a), string(b)))
	}
}

func TestReadingWhatWasAppliedChangesNothing(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		m := anyModel(r)
		read := decompose(compositetest.Live(r, compositetest.Compose(r, Kind, m)), m)
		if changed := compositetest.Changed(r, Kind, m, read); len(changed) > 0 {
			r.Fatalf("these attributes moved: %v", changed)
		}
	})
}

func TestWhatAnImportReadsComposesToTheSameObjects(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		m := anyModel(r)
		objects := compositetest.Compose(r, Kind, m)
		empty := compositetest.Null(Kind)
		empty.Name, empty.Namespace = m.Name, m.Namespace
		live := compositetest.Live(r, objects)
		if refs := locate(empty, nil); len(refs) != 2 {
			r.Fatalf("at first it looks for %v", refs)
		}
		if refs := locate(empty, live); len(refs) != len(objects) {
			r.Fatalf("of %d objects it finds %v", len(objects), refs)
		}
		read := imported(live, empty)
		if findings := oneKey(read); len(findings) > 0 && !read.SSH.IsNull() {
			ssh, _ := read.SSH.Get()
			want, _ := m.SSH.Get()
			if !ssh.Secret.Equal(want.Secret) || !ssh.PrivateKeyVersion.Equal(want.PrivateKeyVersion) {
				r.Fatalf("the key moved from %v to %v", want, ssh)
			}
		}
		requireSame(r, objects, compositetest.Compose(r, Kind, read))
	})
}

// What another configuration would have applied is read as that configuration, apart from the key.
func TestAChangedRecordIsReadAsAttributes(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		m, other := anyModel(r), anyModel(r)
		read := decompose(compositetest.Live(r, compositetest.Compose(r, Kind, other)), m)
		want, got := recordOf(other), recordOf(read)
		for _, key := range []string{recordRegion, recordZone, recordLatitude, recordLongitude, recordUser, recordPort, recordSudo} {
			if want[key] != got[key] {
				r.Fatalf("%s is %q in the cluster and was read as %q", key, want[key], got[key])
			}
		}
		before, now := recordOf(m), got
		if before[recordSecret] != now[recordSecret] || before[recordMade] != now[recordMade] || before[recordKeyVersion] != now[recordKeyVersion] {
			r.Fatal("a record changed which key is used")
		}
	})
}

func TestAnythingInTheRecordIsReadWithoutPanic(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		m := anyModel(r)
		live := compositetest.Live(r, compositetest.Compose(r, Kind, m))
		field := rapid.SampledFrom(append(ownership.Leaves(live[0].Object), "data", "metadata")).Draw(r, "field")
		value := rapid.SampledFrom([]any{nil, "", "x", "-1", "1e999", "NaN", int64(-7), true, []any{}, map[string]any{}}).Draw(r, "value")
		_ = ownership.Set(live[0].Object, field, value)
		empty := compositetest.Null(Kind)
		empty.Name = m.Name
		for _, read := range []Model{decompose(live, m), imported(live, empty), imported(live[1:], empty)} {
			compositetest.Raw(r, Kind, read)
			if _, err := compose(read, composite.Facts{}); err != nil {
				r.Fatalf("what was read does not compose: %v", err)
			}
		}
	})
}
