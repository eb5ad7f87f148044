package site_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/k0smos/terraform-provider-k0smos/internal/acctest"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/infrastructure"
	"github.com/k0smos/terraform-provider-k0smos/internal/kube"
)

// TestAccASecretThatAHostUsesStays: the API server of this test has the kind of RemoteMachines and no operator for them.
func TestAccASecretThatAHostUsesStays(t *testing.T) {
	t.Parallel()
	api := acctest.OwnServer(t)
	definition, err := os.ReadFile("../../api/crds/infrastructure.cluster.x-k8s.io_remotemachines.yaml")
	if err != nil {
		t.Fatal(err)
	}
	api.ApplyAs(t, "acctest", string(definition))
	q := start(t, api.API, api.ProviderBlock())
	host := kube.Key{Kind: kube.Kind(infrastructure.RemoteMachineKind), Namespace: q.namespace, Name: "quebec-a100-x7k2p"}
	claim := func() {
		acctest.Eventually(t, "RemoteMachines are served", func() bool {
			return api.TryApplyAs(t.Context(), "k0smotron", fmt.Sprintf("{apiVersion: %s, kind: RemoteMachine, metadata: {name: %s, namespace: %s}, spec: {pool: a, sshKeyRef: {name: quebec-ssh}}}",
				infrastructure.RemoteMachineKind.APIVersion(), host.Name, q.namespace)) == nil
		})
	}
	claim()
	q.with(keyWith(t, "x"))
	q.now(t, first, "")
	q.Apply(t)

	// To a Secret of the user's own: the old one stays while a host uses it, and goes with a later apply.
	q.now(t, `secret = "vault"`, "")
	q.Apply(t)
	if api.Find(t, q.secret) == nil {
		t.Fatal("the Secret of a host that is in use was removed")
	}
	equal(t, "the Secret in the record", q.recorded(t, "sshSecret"), "vault")
	api.Delete(t, host)
	api.AwaitGone(t, host)
	q.now(t, `secret = "vault"`, `region = "ca-quebec"`)
	q.Apply(t)
	api.AwaitGone(t, q.secret)
	q.plans(t, "")

	// And back: a destroy waits for the host and names it.
	q.now(t, first, "timeouts {\n    delete = \"5s\"\n  }")
	q.Apply(t)
	claim()
	q.TryDestroy(t).Failed(t, "is still the SSH key of RemoteMachine "+host.Name, "Destroy the node pools")
	if api.Find(t, q.secret) == nil || api.Find(t, q.record) == nil {
		t.Fatal("something was removed before its time")
	}
	api.Delete(t, host)
	q.Destroy(t)
	api.AwaitGone(t, q.secret)
	api.AwaitGone(t, q.record)
}
