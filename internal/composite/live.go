package composite

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/k0smos/terraform-provider-k0smos/internal/api"
	"github.com/k0smos/terraform-provider-k0smos/internal/kube"
)

// Ref names one object that the engine should fetch.
type Ref struct {
	Kind      api.Kind
	Namespace string
	Name      string
}

func (r Ref) key() kube.Key {
	return kube.Key{Kind: kube.Kind(r.Kind), Namespace: r.Namespace, Name: r.Name}
}

// Live is what was found in the cluster, in the order in which it was asked for. Objects that do not exist are not in it.
type Live []*unstructured.Unstructured

// Find returns the first object of a kind, and of a name unless the name is empty.
func (l Live) Find(kind, name string) (map[string]any, bool) {
	for _, o := range l {
		if o.GetKind() == kind && (name == "" || o.GetName() == name) {
			return o.Object, true
		}
	}
	return nil, false
}

// As decodes the first object of a kind into its struct of internal/api.
func As[T any](l Live, kind api.Kind, name string) (T, bool) {
	var out T
	object, ok := l.Find(kind.Kind, name)
	if !ok {
		return out, false
	}
	return out, runtime.DefaultUnstructuredConverter.FromUnstructured(object, &out) == nil
}

func unstructuredOf(content map[string]any) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: content}
}
