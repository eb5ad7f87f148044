package acctest_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/k0smos/terraform-provider-k0smos/internal/acctest"
	"github.com/k0smos/terraform-provider-k0smos/internal/kube"
)

func TestMain(m *testing.M) { acctest.Main(m) }

func widget(namespace, spec string) string {
	return fmt.Sprintf("apiVersion: acctest.k0smos.io/v1\nkind: Widget\nmetadata: {name: w, namespace: %s}\nspec: %s\n", namespace, spec)
}

func TestMeddlingLeavesTheNameOfWhoDidIt(t *testing.T) {
	api := acctest.SharedServer(t)
	namespace := api.Namespace(t)
	key := kube.Key{Kind: acctest.Widgets, Namespace: namespace, Name: "w"}
	api.ApplyAs(t, "tool", widget(namespace, "{replicas: 1}"))
	api.EditAs(t, "hand", key, func(o map[string]any) { o["spec"].(map[string]any)["image"] = "x" }) //nolint:forcetypeassert // just applied so
	api.EditStatusAs(t, "controller", key, map[string]any{"phase": "Ready"})
	live := api.Get(t, key)
	if !acctest.Manages(live, "tool", metav1.ManagedFieldsOperationApply) || !acctest.Manages(live, "hand", metav1.ManagedFieldsOperationUpdate) || acctest.Manages(live, "hand", metav1.ManagedFieldsOperationApply) {
		t.Errorf("managed fields: %v", live.GetManagedFields())
	}
	api.Delete(t, key)
	api.AwaitGone(t, key)
}

func TestWebhooksJudgeOneNamespace(t *testing.T) {
	api := acctest.SharedServer(t)
	judged, free := api.Namespace(t), api.Namespace(t)
	api.Webhook(t, acctest.Widgets, judged, false, func(r acctest.Review) acctest.Verdict {
		if r.Operation == "CREATE" {
			return acctest.Verdict{Deny: "not today"}
		}
		return acctest.Verdict{}
	})
	api.ApplyAs(t, "tool", widget(free, "{}"))
	if err := api.TryApplyAs(context.WithoutCancel(t.Context()), "tool", widget(judged, "{}")); err == nil || !strings.Contains(err.Error(), "not today") {
		t.Errorf("got %v", err)
	}
}

func TestRequestsAreCountedByTheServer(t *testing.T) {
	api := acctest.SharedServer(t)
	namespace := api.Namespace(t)
	before := api.Served(t)
	api.ApplyAs(t, "tool", widget(namespace, "{replicas: 1}"))
	api.Get(t, kube.Key{Kind: acctest.Widgets, Namespace: namespace, Name: "w"})
	after := api.Served(t)
	for _, key := range []string{"APPLY widgets.acctest.k0smos.io", "GET widgets.acctest.k0smos.io"} {
		if after[key]-before[key] != 1 {
			t.Errorf("%s: before %d, after %d", key, before[key], after[key])
		}
	}
}

func TestTheWholeManagementClusterStarts(t *testing.T) {
	cluster := acctest.Cluster(t)
	if cluster.Dev.StandIn() == nil {
		t.Error("there is no stand-in")
	}
	cluster.Namespace(t)
}
