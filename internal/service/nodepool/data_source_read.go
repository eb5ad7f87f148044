package nodepool

import (
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	apimeta "k8s.io/apimachinery/pkg/api/meta"

	"github.com/k0smos/terraform-provider-k0smos/internal/api/clusterapi"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/infrastructure"
	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

func readSource(m *SourceModel, seen composite.Seen) []composite.Finding {
	name, namespace := m.Name.ValueString(), m.Namespace.ValueString()
	pool, ok := composite.As[clusterapi.MachineDeployment](seen.Live, clusterapi.MachineDeploymentKind, "")
	if !ok {
		return []composite.Finding{{Path: path.Root("name"), Summary: "There is no node pool " + namespace + "/" + name,
			Detail: fmt.Sprintf("The %s has no MachineDeployment %s in namespace %s. Check both, and which management cluster the provider points at; list what there is with: kubectl get machinedeployments -A\n\n"+
				"If the pool is made in the same run, set depends_on = [k0smos_node_pool.<name>], so that it is read after it was made.", seen.Cluster, name, namespace)}}
	}
	if uid := m.UID.ValueString(); uid != "" && uid != string(pool.UID) {
		return []composite.Finding{{Path: path.Root("uid"), Summary: "Node pool " + namespace + "/" + name + " was made anew",
			Detail: fmt.Sprintf("The UID of its MachineDeployment in the %s is %s and not %s. Leave uid out to read whichever pool has this name.", seen.Cluster, pool.UID, uid)}}
	}
	m.UID, m.ClusterName = types.StringValue(string(pool.UID)), types.StringValue(pool.Spec.ClusterName)
	m.Version = tf.TextOrNull(pool.Spec.Template.Spec.Version)
	m.Phase = tf.TextOrNull(pool.Status.Phase)
	m.Paused = types.BoolValue(pool.Spec.Paused != nil && *pool.Spec.Paused)
	m.Replicas, m.ReadyReplicas = replicasOf(pool.Spec.Replicas), replicasOf(pool.Status.ReadyReplicas)
	m.AvailableReplicas, m.UpToDateReplicas = replicasOf(pool.Status.AvailableReplicas), replicasOf(pool.Status.UpToDateReplicas)
	m.readHosts(seen.Live)
	return nil
}

// readHosts follows each host to the RemoteMachine that has taken it, and from there to the Machine and its node.
func (m *SourceModel) readHosts(live composite.Live) {
	remotes, machines := map[string]infrastructure.RemoteMachine{}, map[string]clusterapi.Machine{}
	for _, r := range composite.All[infrastructure.RemoteMachine](live, infrastructure.RemoteMachineKind) {
		remotes[r.Name] = r
	}
	for _, machine := range composite.All[clusterapi.Machine](live, clusterapi.MachineKind) {
		machines[machine.Name] = machine
	}
	byRemote := map[string]string{} // RemoteMachine -> Machine
	for name, machine := range machines {
		if machine.Spec.InfrastructureRef.Kind == infrastructure.RemoteMachineKind.Kind {
			byRemote[machine.Spec.InfrastructureRef.Name] = name
		}
	}
	poolName := m.Name.ValueString() // one that was made by hand may call its pool otherwise
	if template, ok := composite.As[infrastructure.RemoteMachineTemplate](live, infrastructure.RemoteMachineTemplateKind, ""); ok && template.Spec.Template.Spec.Pool != "" {
		poolName = template.Spec.Template.Spec.Pool
	}
	hosts := map[string]tf.Object[SourceHost]{}
	for _, entry := range composite.All[infrastructure.PooledRemoteMachine](live, infrastructure.PooledRemoteMachineKind) {
		if entry.Spec.Pool != poolName {
			continue
		}
		host := SourceHost{ObjectName: types.StringValue(entry.Name), Address: types.StringValue(entry.Spec.Machine.Address),
			Port: types.Int64Value(int64(entry.Spec.Machine.Port)), Reserved: types.BoolValue(entry.Status.Reserved), Ready: types.BoolValue(false)}
		if remote := entry.Status.MachineRef.Name; entry.Status.Reserved && remote != "" {
			machine, there := machines[byRemote[remote]]
			if there {
				delete(machines, machine.Name)
				host.Machine = types.StringValue(machine.Name)
			}
			host.take(stateOf(machine, remotes[remote]))
		}
		key := hostKeyOf(entry, poolName)
		if _, taken := hosts[key]; taken {
			key = entry.Name
		}
		hosts[key] = tf.ObjectOf(host)
	}
	others := map[string]tf.Object[SourceMachine]{}
	for name, machine := range machines {
		others[name] = tf.ObjectOf(stateOf(machine, remotes[machine.Spec.InfrastructureRef.Name]))
	}
	m.Hosts, m.OtherMachines = tf.MapOf(hosts), tf.MapOf(others)
}

func (h *SourceHost) take(s SourceMachine) {
	h.Node, h.Phase, h.Ready, h.Version, h.LastError = s.Node, s.Phase, s.Ready, s.Version, s.LastError
}

// stateOf is what is to be said of a Machine and the host behind it, either of which may be missing.
func stateOf(machine clusterapi.Machine, remote infrastructure.RemoteMachine) SourceMachine {
	out := SourceMachine{Node: tf.TextOrNull(machine.Status.NodeRef.Name), Phase: tf.TextOrNull(machine.Status.Phase), LastError: types.StringNull()}
	if info := machine.Status.NodeInfo; info != nil {
		out.Version = tf.TextOrNull(info.KubeletVersion)
	}
	ready := apimeta.FindStatusCondition(machine.Status.Conditions, clusterapi.ConditionReady)
	isReady := ready != nil && ready.Status == "True" && machine.DeletionTimestamp == nil
	out.Ready = types.BoolValue(isReady)
	switch {
	case isReady:
	case remote.Name != "" && remote.DeletionTimestamp != nil && remote.Spec.Address == "":
		out.LastError = types.StringValue(fmt.Sprintf("RemoteMachine %s never got a host, so k0smotron cannot clean up after it and its deletion hangs. Apply the pool with force_release = true to free it; while a destroy hangs, kubectl patch as its error says is the way.", remote.Name))
	case remote.Status.Deprecated.V1Beta1.FailureMessage != "":
		out.LastError = types.StringValue(remote.Status.Deprecated.V1Beta1.FailureMessage)
	case ready != nil:
		out.LastError = tf.TextOrNull(ready.Message)
	}
	return out
}

// hostKeyOf is the key of a host in the configuration. Its label says it; a host of another tool has none.
func hostKeyOf(entry infrastructure.PooledRemoteMachine, pool string) string {
	if _, key, found := strings.Cut(entry.Labels[labelHost], "."); found && key != "" { // no site has a dot in its name
		return key
	}
	if key, found := strings.CutPrefix(entry.Name, pool+"-"); found && key != "" {
		return key
	}
	return entry.Name
}

// replicasOf is a counter that may not be reported yet.
func replicasOf(n *int32) types.Int64 {
	if n == nil {
		return types.Int64Null()
	}
	return types.Int64Value(int64(*n))
}
