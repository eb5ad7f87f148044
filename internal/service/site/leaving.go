package site

import (
	"fmt"
	"slices"
	"strings"

	"github.com/k0smos/terraform-provider-k0smos/internal/api/core"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/infrastructure"
	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
)

// leaving keeps the Secret while a RemoteMachine names it: without the key, k0smotron can neither clean its host nor give up
// its finalizer, and then the MachineDeployment and the whole Cluster hang in their deletion.
func leaving(_ Model, ref composite.Ref) *composite.Step {
	if ref.Kind.Kind != core.SecretKind.Kind {
		return nil
	}
	return &composite.Step{
		Name: "wait until no host uses the SSH key in Secret " + ref.Namespace + "/" + ref.Name,
		Look: func(composite.Live) []composite.Query {
			return []composite.Query{{Kind: infrastructure.RemoteMachineKind, Namespace: ref.Namespace}}
		},
		Next: func(seen composite.Live) composite.Move {
			users := usersOf(ref, seen)
			if len(users) == 0 {
				return composite.Move{Done: true}
			}
			return composite.Move{Later: true, Why: fmt.Sprintf("Secret %s/%s is still the SSH key of %s. Without it k0smotron could not clean these hosts. "+
				"Destroy the node pools at this site first, or let them take the other key; see them with: kubectl get remotemachines -n %s",
				ref.Namespace, ref.Name, listed(users), ref.Namespace)}
		},
	}
}

func usersOf(ref composite.Ref, seen composite.Live) []string {
	var out []string
	for _, m := range composite.All[infrastructure.RemoteMachine](seen, infrastructure.RemoteMachineKind) {
		if m.Namespace == ref.Namespace && m.Spec.SSHKeyRef != nil && m.Spec.SSHKeyRef.Name == ref.Name {
			out = append(out, m.Name)
		}
	}
	slices.Sort(out)
	return out
}

// listed names a few and counts the rest.
func listed(machines []string) string {
	const few = 5
	if len(machines) == 1 {
		return "RemoteMachine " + machines[0]
	}
	if len(machines) <= few {
		return "RemoteMachines " + strings.Join(machines, ", ")
	}
	return fmt.Sprintf("RemoteMachines %s and %d more", strings.Join(machines[:few], ", "), len(machines)-few)
}
