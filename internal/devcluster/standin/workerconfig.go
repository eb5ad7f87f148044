package standin

import (
	"context"
	"encoding/base64"
	"fmt"
	"reflect"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// When is looked again at what waits for somebody else: later where a change of that wakes too. The real operator looks
// by an ever longer interval.
const (
	soon  = 500 * time.Millisecond
	later = 2 * time.Second
)

// reconcileWorkerConfig writes the commands of a new worker into a Secret, once the control plane has answered. It never
// looks at a K0sWorkerConfig again after that.
func (s *StandIn) reconcileWorkerConfig(ctx context.Context, ref Ref) (time.Duration, error) {
	config, err := s.find(ctx, workerConfig, ref)
	if err != nil || config == nil {
		return 0, err
	}
	owner, err := s.ownerMachine(ctx, config)
	if err != nil || owner == nil {
		return 0, err
	}
	cluster, err := s.find(ctx, clusterAPICluster, Ref{ref.Namespace, text(owner.Object, "spec", "clusterName")})
	if err != nil || cluster == nil || paused(cluster, config) {
		return 0, err
	}
	if created, _ := lookup[bool](config.Object, "status", "initialization", "dataSecretCreated"); created {
		return 0, nil
	}
	after := config.DeepCopy()
	if text(cluster.Object, "spec", "controlPlaneEndpoint", "host") == "" || !isTrue(cluster, "ControlPlaneInitialized") {
		configCondition(after, condition{"DataSecretAvailable", "False", "WaitingForControlPlaneInitialization", "Control plane is not ready yet"})
		return soon, s.patch(ctx, workerConfig, config, after)
	}
	err = s.writeBootstrapSecret(ctx, config, owner, cluster)
	if err != nil {
		configCondition(after, condition{"DataSecretAvailable", "False", "DataSecretGenerationFailed", err.Error()})
		if failed := s.patch(ctx, workerConfig, config, after); failed != nil {
			return 0, failed
		}
		return 0, err
	}
	configCondition(after, condition{"DataSecretAvailable", "True", "Available", "Bootstrap secret created"})
	put(after.Object, config.GetName(), "status", "dataSecretName")
	put(after.Object, true, "status", "initialization", "dataSecretCreated")
	return 0, s.patch(ctx, workerConfig, config, after)
}

// configCondition sets the one condition of a K0sWorkerConfig and the summary of it.
func configCondition(config *unstructured.Unstructured, c condition) {
	if reflect.DeepEqual(getCondition(config, c.kind), c) {
		return
	}
	setCondition(config, c)
	ready := condition{"Ready", c.status, "Ready", "* " + c.kind + ": " + c.message}
	if c.status != "True" {
		ready.reason = "NotReady"
	}
	setCondition(config, ready)
}

// writeBootstrapSecret makes the Secret with the commands, named as the configuration.
func (s *StandIn) writeBootstrapSecret(ctx context.Context, config, owner, cluster *unstructured.Unstructured) error {
	content, err := s.cloudConfig(ctx, config, owner)
	if err != nil {
		return err
	}
	labels := map[string]any{
		clusterNameLabel:              cluster.GetName(),
		"app.kubernetes.io/component": "bootstrap",
	}
	secret := newSecret(config.GetNamespace(), config.GetName(), []any{map[string]any{
		"apiVersion": workerConfig.apiVersion(),
		"kind":       workerConfig.name,
		"name":       config.GetName(),
		"uid":        string(config.GetUID()),
		"controller": true,
	}}, labels, map[string][]byte{"value": content, "format": []byte("cloud-config")})
	_, err = s.client.Resource(secrets.resource).Namespace(config.GetNamespace()).
		Apply(ctx, secret.GetName(), secret, metav1.ApplyOptions{FieldManager: "k0s-bootstrap", Force: true})
	return err
}

// ownerMachine is the Machine that owns obj: nil if none does, or if it is not there.
func (s *StandIn) ownerMachine(ctx context.Context, obj *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	for _, owner := range obj.GetOwnerReferences() {
		if machine.owns(owner) {
			return s.find(ctx, machine, Ref{obj.GetNamespace(), owner.Name})
		}
	}
	return nil, nil
}

// fileContent is the content of a file, wherever it is.
func (s *StandIn) fileContent(ctx context.Context, namespace string, file map[string]any) (string, error) {
	for field, k := range map[string]kind{"secretRef": secrets, "configMapRef": configMaps} {
		ref, given := lookup[map[string]any](file, "contentFrom", field)
		if !given {
			continue
		}
		obj, err := s.get(ctx, k, Ref{namespace, text(ref, "name")})
		if err != nil {
			return "", fmt.Errorf("failed to resolve file content: failed to get file content from source: %w", err)
		}
		content, has := lookup[string](obj.Object, "data", text(ref, "key"))
		if !has {
			return "", fmt.Errorf("failed to resolve file content: failed to get file content from source: key not found in %s", strings.ToLower(k.name))
		}
		if k == configMaps {
			return content, nil
		}
		decoded, err := base64.StdEncoding.DecodeString(content)
		return string(decoded), err
	}
	return text(file, "content"), nil
}
