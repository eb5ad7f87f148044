package composite

import (
	"context"
	"encoding/base64"
	"fmt"
	"strconv"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k0smos/terraform-provider-k0smos/internal/kube"
)

var secretKind = kube.Kind{Version: "v1", Kind: "Secret", Resource: "secrets", Namespaced: true}

// generate returns the values that the engine makes itself. A value that its Secret holds already is used again, so that
// a repeated or interrupted apply changes nothing; another rotation counter makes a new one.
func (x *instance) generate(ctx context.Context, wanted []Generated) (map[string][]byte, error) {
	out := map[string][]byte{}
	for _, g := range wanted {
		live, err := x.cluster.Get(ctx, kube.Key{Kind: secretKind, Namespace: g.Namespace, Name: g.Secret})
		if e := kube.AsError(err); e != nil && e.Reason != kube.ReasonNotFound && e.Reason != kube.ReasonNoNamespace {
			return nil, err
		}
		if err == nil && live.GetAnnotations()[RotationAnnotation] == strconv.FormatInt(g.Rotation, 10) {
			encoded, _, _ := unstructured.NestedString(live.Object, "data", g.Key)
			if value, err := base64.StdEncoding.DecodeString(encoded); err == nil && len(value) > 0 {
				out[g.Name] = value
				continue
			}
		}
		value, err := g.Make()
		if err != nil {
			return nil, fmt.Errorf("generate %s: %w", g.Name, err)
		}
		out[g.Name] = value
	}
	return out, nil
}

// markRotation notes the rotation counter on the Secrets that hold generated values.
func markRotation(objects []Object, wanted []Generated) {
	for _, g := range wanted {
		for _, o := range objects {
			if o.Kind.Kind == secretKind.Kind && o.Name == g.Secret && o.Namespace == g.Namespace {
				o.setMeta("annotations", map[string]string{RotationAnnotation: strconv.FormatInt(g.Rotation, 10)})
			}
		}
	}
}
