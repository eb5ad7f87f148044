package department

import (
	"fmt"
	"strings"
	"testing"

	"github.com/k0smos/terraform-provider-k0smos/internal/composite/compositetest"
)

// policyText is what the policy of a department whose project vision is enforced says.
func policyText(t *testing.T, engine string) string {
	t.Helper()
	for _, o := range compositetest.Compose(t, Kind, compositetest.Model(t, Kind, with(engine, poolWith(sixteen), "vision: {namespaces: [vision], enforce_namespaces: true, pools: {quebec-a100: {gpu: {quota: 8}}}}"))) {
		if o.Kind.Kind == "ValidatingAdmissionPolicy" {
			return fmt.Sprint(o.Content["spec"])
		}
	}
	t.Fatal("there is no policy")
	return ""
}

// The policy is in force before the LocalQueue of a namespace that is added next, so it must let that one through. Work
// cannot come in by a LocalQueue of somebody else: the ClusterQueue admits that of its own namespaces only.
func TestThePolicyOfKueueLeavesLocalQueuesAlone(t *testing.T) {
	if text := policyText(t, "kueue"); strings.Contains(text, "LocalQueue") || strings.Contains(text, "clusterQueue") {
		t.Errorf("it judges them: %s", text)
	}
}

// On Kueue a label names a LocalQueue of the same namespace, on KAI a queue of the cluster.
func TestAQueueIsGuardedFromOtherNamespacesOnlyWhereItsNameReachesThem(t *testing.T) {
	const unbound = "|| !(request.namespace in variables.namespaces1) ||"
	if text := policyText(t, "kueue"); strings.Contains(text, "queues1") || !strings.Contains(text, unbound) {
		t.Errorf("on Kueue the policy is not for its own namespaces alone: %s", text)
	}
	if text := policyText(t, "kai"); !strings.Contains(text, "variables.queue in variables.queues1") || strings.Contains(text, unbound) {
		t.Errorf("on KAI anybody may use the queues: %s", text)
	}
}
