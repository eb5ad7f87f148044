package composite

import (
	"reflect"
	"testing"

	"github.com/k0smos/terraform-provider-k0smos/internal/api"
	"github.com/k0smos/terraform-provider-k0smos/internal/kube"
)

func secretObject(keys ...string) Object {
	content := map[string]any{"type": "kubernetes.io/tls"}
	if len(keys) > 0 {
		data := map[string]any{}
		for _, key := range keys {
			data[key] = Secret{Attribute: "secret_data_wo", Key: key}
		}
		content["data"] = data
	}
	return RawObject(api.Kind{Version: "v1", Kind: "Secret"}, "team", "cert", content)
}

func TestARevisionIsFreeOfSecretsAndOfHowManyThereAre(t *testing.T) {
	none := revisionOf([]Object{secretObject()})
	for _, o := range []Object{secretObject("tls.key"), secretObject("tls.crt", "tls.key")} {
		if got := revisionOf([]Object{o}); got != none {
			t.Errorf("the revision of %v is %s, without secrets it is %s", o.Content, got, none)
		}
	}
	empty := secretObject()
	empty.Content["data"] = map[string]any{}
	if got := empty.render(toDryRun)["data"]; !reflect.DeepEqual(got, map[string]any{}) {
		t.Errorf("a map that is declared empty became %v", got)
	}
}

func TestSecretsThatAreNoLongerComposedAreForgotten(t *testing.T) {
	r := &record{Salt: "salt", WriteOnly: map[string]map[string]string{"secret_data_wo": {"tls.key": "a", "old": "b"}, "token_wo": {"": "c"}}}
	r.forgetSecrets([]Object{secretObject("tls.key")})
	if want := map[string]map[string]string{"secret_data_wo": {"tls.key": "a"}}; !reflect.DeepEqual(r.WriteOnly, want) {
		t.Errorf("got %v, want %v", r.WriteOnly, want)
	}
}

func TestADryRunThatMissesOnlyWithheldSecretsIsNoRefusal(t *testing.T) {
	invalid := func(paths ...string) error {
		e := &kube.Error{Reason: kube.ReasonInvalid, Message: "invalid"}
		for _, p := range paths {
			e.Fields = append(e.Fields, kube.FieldError{Path: p, Message: "Required value"})
		}
		return e
	}
	for name, test := range map[string]struct {
		object Object
		err    error
		left   int
	}{
		"a TLS Secret without its key":             {secretObject("tls.crt", "tls.key"), invalid("data[tls.crt]", "data[tls.key]"), 0},
		"an immutable Secret whose data is hidden": {secretObject("tls.key"), invalid("data"), 0},
		"something else is wrong as well":          {secretObject("tls.key"), invalid("data[tls.crt]", "type"), 1},
		"a Secret that declares no data":           {secretObject(), invalid("data[tls.crt]"), 1},
	} {
		t.Run(name, func(t *testing.T) {
			err := test.object.withoutWithheld(test.err)
			left := 0
			if e := kube.AsError(err); e != nil {
				left = len(e.Fields)
			}
			if left != test.left {
				t.Errorf("%d complaints are left, want %d", left, test.left)
			}
		})
	}
}
