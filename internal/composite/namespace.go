package composite

import (
	"context"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k0smos/terraform-provider-k0smos/internal/kube"
)

var namespaceKind = kube.Kind{Version: "v1", Kind: "Namespace", Resource: "namespaces"}

// madeNamespaces are the namespaces that the user asked to make: the resource's own, and those of its workloads.
func (x *instance) madeNamespaces() []string {
	if !x.createNamespace || x.namespace == "" {
		return x.namespaces
	}
	return append([]string{x.namespace}, x.namespaces...)
}

// ensureNamespaces makes the namespaces that are missing, before the first object is applied.
func (x *instance) ensureNamespaces(ctx context.Context) error {
	if x.namespaceSeen {
		return nil
	}
	for _, name := range x.madeNamespaces() {
		if err := x.ensureNamespace(ctx, name); err != nil {
			return err
		}
	}
	x.namespaceSeen = true
	return nil
}

// ensureNamespace makes a namespace that is missing. One that is going away is waited for and made anew.
func (x *instance) ensureNamespace(ctx context.Context, name string) error {
	key := kube.Key{Kind: namespaceKind, Name: name}
	live, err := x.cluster.Read(ctx, key)
	switch e := kube.AsError(err); {
	case e == nil && live.GetDeletionTimestamp() == nil:
		return nil
	case e == nil:
		if _, err := x.cluster.Wait(ctx, key, gone); err != nil {
			return err
		}
	case e.Reason != kube.ReasonNotFound:
		return err
	}
	wctx, cancel, err := writing(ctx)
	if err != nil {
		return err
	}
	defer cancel()
	body := map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{
		"name":        name,
		"labels":      map[string]any{ManagedByLabel: ManagedBy},
		"annotations": map[string]any{MadeAnnotation: "true", OwnerNameAnnotation: x.provider.Owner},
	}}
	_, err = x.cluster.Create(wctx, key, body, x.provider.FieldManager)
	if e := kube.AsError(err); e != nil && e.Reason != kube.ReasonAlreadyExists {
		return err
	}
	return nil
}

// removeNamespaces deletes what ensureNamespaces made, as far as nothing is left in it. The notes say what stays.
func (x *instance) removeNamespaces(ctx context.Context) (notes []string, err error) {
	for _, name := range x.madeNamespaces() {
		note, err := x.removeNamespace(ctx, name)
		if note != "" {
			notes = append(notes, note)
		}
		if err != nil {
			return notes, err
		}
	}
	return notes, nil
}

// removeNamespace deletes a namespace if this provider made it and nothing else is left in it. The last resource to
// go thus takes the namespace along, whichever it is. Where the credentials do not allow to look, the namespace stays, with
// a note.
func (x *instance) removeNamespace(ctx context.Context, name string) (note string, err error) {
	key := kube.Key{Kind: namespaceKind, Name: name}
	live, err := x.cluster.Get(ctx, key)
	if e := kube.AsError(err); e != nil {
		if e.Reason == kube.ReasonNotFound || e.Reason == kube.ReasonForbidden {
			return "", nil
		}
		return "", err
	}
	if live.GetAnnotations()[MadeAnnotation] == "" || live.GetDeletionTimestamp() != nil {
		return "", nil
	}
	left, err := x.cluster.NamespaceContents(ctx, name)
	switch e := kube.AsError(err); {
	case e == nil && len(left) == 0:
		return "", x.deleteAndWait(ctx, key, string(live.GetUID()))
	case e == nil:
		return "", nil
	case e.Reason == kube.ReasonForbidden:
		return fmt.Sprintf("Namespace %s stays: this user may not see whether anything is left in it", name), nil
	default:
		return "", fmt.Errorf("see what is left in namespace %s: %w", name, err)
	}
}

// deleteAndWait deletes one object in the foreground and watches until it is gone.
func (x *instance) deleteAndWait(ctx context.Context, key kube.Key, uid string) error {
	wctx, cancel, err := writing(ctx)
	if err != nil {
		return err
	}
	defer cancel()
	left, err := x.cluster.Delete(wctx, key, uid)
	if err != nil || !x.wait {
		return err
	}
	_, err = x.cluster.WaitFrom(ctx, key, left, func(live *unstructured.Unstructured) (bool, string, error) {
		if live != nil && string(live.GetUID()) != uid {
			return true, "", nil // another one of the same name: ours is gone
		}
		return gone(live)
	})
	if e := kube.AsError(err); e != nil && (e.Reason == kube.ReasonTimeout || e.Reason == kube.ReasonCancelled) {
		return &refusal{fmt.Sprintf("%s is still being deleted", memberName(key.Kind.Kind, key.Namespace, key.Name)),
			fmt.Sprintf("The %s accepted the deletion, but the object is not gone: %s.%s\n\nFind out what the finalizer waits for; its controller may be missing or failing. The object stays in state, and the next destroy goes on waiting.",
				x.cluster.Describe(), strings.TrimSuffix(e.Message, "."), x.circumstances(ctx, key))}
	}
	return err
}
