package acctest

import (
	"context"
	_ "embed"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/k0smos/terraform-provider-k0smos/internal/kube"
)

// Widgets is a kind made for tests: it has every sort of field that objects in the wild have.
var Widgets = kube.Kind{Group: "acctest.k0smos.io", Version: "v1", Kind: "Widget", Resource: "widgets", Namespaced: true}

//go:embed widget.yaml
var widgetCRD string

// install applies a CRD and waits until its kind is served.
func (a *API) install(ctx context.Context, crd string) error {
	object := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(crd), &object.Object); err != nil {
		return err
	}
	if err := a.TryApplyAs(ctx, "acctest", crd); err != nil {
		return err
	}
	key := kube.Key{Kind: CRDs, Name: object.GetName()}
	for {
		live, err := a.of(key).Get(ctx, key.Name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		conditions, _, _ := unstructured.NestedSlice(live.Object, "status", "conditions")
		for _, c := range conditions {
			if c, ok := c.(map[string]any); ok && c["type"] == "Established" && c["status"] == "True" {
				return nil
			}
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s is not established: %w", key, ctx.Err())
		case <-time.After(20 * time.Millisecond):
		}
	}
}
