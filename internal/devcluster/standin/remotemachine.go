package standin

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

const (
	remoteMachineFinalizer = "remotemachine.k0smotron.io/finalizer"
	bootstrapSucceeded     = "BootstrapExecSucceeded"
)

// reconcileRemoteMachine takes a host of the pool for a RemoteMachine, makes it a worker, and gives it back. As with the
// real operator nothing but a change of the RemoteMachine itself brings it back here once the host is a worker.
func (s *StandIn) reconcileRemoteMachine(ctx context.Context, ref Ref) (time.Duration, error) {
	rm, err := s.find(ctx, remoteMachine, ref)
	if err != nil || rm == nil {
		return 0, err
	}
	if added, err := s.ensureFinalizer(ctx, remoteMachine, rm, remoteMachineFinalizer); err != nil || added {
		return 0, err
	}
	owner, err := s.ownerMachine(ctx, rm)
	if err != nil || owner == nil {
		return later, err
	}
	cluster, err := s.find(ctx, clusterAPICluster, Ref{ref.Namespace, owner.GetLabels()[clusterNameLabel]})
	if err != nil || cluster == nil || paused(cluster, rm) || !isTrue(cluster, "InfrastructureReady") {
		return later, err
	}
	if text(owner.Object, "spec", "bootstrap", "dataSecretName") == "" {
		return later, nil
	}
	after := rm.DeepCopy()
	wait, err := s.provision(ctx, after, owner)
	if wait > 0 {
		return wait, nil
	}
	machineStatus(after, err)
	if failed := s.patch(ctx, remoteMachine, rm, after); failed != nil {
		return 0, failed
	}
	return 0, err
}

// hostWanted names the RemoteMachine of a Machine that has no host yet, for which is waited.
func hostWanted(obj *unstructured.Unstructured) []Ref {
	provisioned, _ := lookup[bool](obj.Object, "status", "initialization", "infrastructureProvisioned")
	if provisioned || obj.GetDeletionTimestamp() != nil || text(obj.Object, "spec", "infrastructureRef", "kind") != remoteMachine.name {
		return nil
	}
	return []Ref{{obj.GetNamespace(), text(obj.Object, "spec", "infrastructureRef", "name")}}
}

// provision does the next thing about a RemoteMachine. While the host is busy it returns how long still, and nothing of
// what was done so far is to be seen in the RemoteMachine.
func (s *StandIn) provision(ctx context.Context, rm, owner *unstructured.Unstructured) (time.Duration, error) {
	data, err := s.bootstrapData(ctx, owner)
	if err != nil {
		return 0, err
	}
	deleting := rm.GetDeletionTimestamp() != nil
	// A bootstrap that runs is given up first, and fails as any other.
	givenUp := deleting && s.hosts.giveUp(Ref{rm.GetNamespace(), rm.GetName()})
	if text(rm.Object, "spec", "pool") != "" && (!deleting || givenUp) {
		if err := s.claim(ctx, rm); err != nil {
			return 0, err
		}
	}
	if givenUp {
		return 0, failedBootstrap(rm, context.Canceled)
	}
	job, byJob := lookup[map[string]any](rm.Object, "spec", "provisionJob")
	var key []byte
	if !byJob {
		if key, err = s.sshKey(ctx, rm); err != nil {
			return 0, err
		}
	}
	if deleting {
		wait, err := s.cleanUp(ctx, rm, key, byJob)
		if wait > 0 || err != nil {
			return wait, err
		}
		removeFinalizer(rm, remoteMachineFinalizer)
		return 0, nil
	}
	if provisioned, _ := lookup[bool](rm.Object, "status", "initialization", "provisioned"); provisioned {
		setCondition(rm, condition{bootstrapSucceeded, "True", bootstrapSucceeded, ""})
		return 0, nil
	}
	if text(rm.Object, "spec", "providerID") != "" {
		return 0, nil
	}
	if byJob {
		if err := s.createJob(ctx, rm, job); err != nil {
			return 0, err
		}
	}
	wait, err := s.bootstrap(rm, owner, key, data)
	if wait > 0 {
		return wait, nil
	}
	if err != nil {
		return 0, failedBootstrap(rm, err)
	}
	setCondition(rm, condition{bootstrapSucceeded, "True", bootstrapSucceeded, ""})
	put(rm.Object, fmt.Sprintf("remote-machine://%s:%d", text(rm.Object, "spec", "address"), number(rm.Object, "spec", "port")), "spec", "providerID")
	return 0, s.labelMachine(ctx, owner, rm)
}

func failedBootstrap(rm *unstructured.Unstructured, err error) error {
	setCondition(rm, condition{bootstrapSucceeded, "False", "InternalError", "Check the bootstrap logs for more details"})
	return fmt.Errorf("failed to provision RemoteMachine: %w", err)
}

// machineStatus writes what has come of a look at a RemoteMachine.
func machineStatus(rm *unstructured.Unstructured, err error) {
	unstructured.RemoveNestedField(rm.Object, "status", "deprecated")
	if err != nil {
		put(rm.Object, "ProvisionFailed", "status", "deprecated", "v1beta1", "failureReason")
		put(rm.Object, err.Error(), "status", "deprecated", "v1beta1", "failureMessage")
	}
	done := getCondition(rm, bootstrapSucceeded)
	ready := condition{"Ready", done.status, "InfoReported", ""}
	switch done.status {
	case "True":
		put(rm.Object, true, "status", "initialization", "provisioned")
		put(rm.Object, []any{map[string]any{"type": "ExternalIP", "address": text(rm.Object, "spec", "address")}}, "status", "addresses")
	case "False":
		ready.reason, ready.message = "IssuesReported", "* "+bootstrapSucceeded+": "+done.message
	default:
		ready = condition{"Ready", "Unknown", "UnknownReported", "* " + bootstrapSucceeded + ": Condition not yet reported"}
	}
	setCondition(rm, ready)
}

// labelMachine hands labels and annotations of a RemoteMachine on to its Machine, where these have none of that name.
func (s *StandIn) labelMachine(ctx context.Context, owner, rm *unstructured.Unstructured) error {
	after := owner.DeepCopy()
	after.SetLabels(withLabels(rm.GetLabels(), owner.GetLabels()))
	after.SetAnnotations(withLabels(rm.GetAnnotations(), owner.GetAnnotations()))
	return s.patch(ctx, machine, owner, after)
}

// bootstrapData reads the Secret with the commands. It may be gone when its Machine goes.
func (s *StandIn) bootstrapData(ctx context.Context, owner *unstructured.Unstructured) (bootstrapData, error) {
	secret, err := s.get(ctx, secrets, Ref{owner.GetNamespace(), text(owner.Object, "spec", "bootstrap", "dataSecretName")})
	if apierrors.IsNotFound(err) && owner.GetDeletionTimestamp() != nil {
		return bootstrapData{}, nil
	}
	if err != nil {
		return bootstrapData{}, err
	}
	content, err := base64.StdEncoding.DecodeString(text(secret.Object, "data", "value"))
	if err != nil {
		return bootstrapData{}, err
	}
	data, err := readCloudConfig(content)
	if err != nil {
		return bootstrapData{}, fmt.Errorf("failed to parse bootstrap data: %w", err)
	}
	return data, nil
}

// sshKey reads the private key. A RemoteMachine that never got a host names none, and so can never be cleaned up.
func (s *StandIn) sshKey(ctx context.Context, rm *unstructured.Unstructured) ([]byte, error) {
	name := text(rm.Object, "spec", "sshKeyRef", "name")
	if name == "" {
		return nil, errors.New("resource name may not be empty")
	}
	secret, err := s.get(ctx, secrets, Ref{rm.GetNamespace(), name})
	if err != nil {
		return nil, err
	}
	return base64.StdEncoding.DecodeString(text(secret.Object, "data", "value"))
}
