package site

import (
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k0smos/terraform-provider-k0smos/internal/api/core"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/infrastructure"
	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
)

func machine(namespace, name, secret string) *unstructured.Unstructured {
	spec := map[string]any{"pool": "a"}
	if secret != "" {
		spec["sshKeyRef"] = map[string]any{"name": secret}
	}
	return &unstructured.Unstructured{Object: map[string]any{"apiVersion": infrastructure.RemoteMachineKind.APIVersion(), "kind": "RemoteMachine",
		"metadata": map[string]any{"namespace": namespace, "name": name}, "spec": spec}}
}

func TestTheSecretStaysWhileAHostUsesIt(t *testing.T) {
	secret := composite.Ref{Kind: core.SecretKind, Namespace: "train", Name: "quebec-ssh"}
	many := composite.Live{}
	for i := range 8 {
		many = append(many, machine("train", fmt.Sprintf("quebec-a100-%d", i), "quebec-ssh"))
	}
	for name, test := range map[string]struct {
		seen composite.Live
		says string
	}{
		"no host at all":                         {nil, ""},
		"hosts with other keys":                  {composite.Live{machine("train", "a", "atlanta-ssh"), machine("other", "b", "quebec-ssh"), machine("train", "c", "")}, ""},
		"one host":                               {composite.Live{machine("train", "a", "atlanta-ssh"), machine("train", "b", "quebec-ssh")}, "RemoteMachine b."},
		"two hosts":                              {composite.Live{machine("train", "b", "quebec-ssh"), machine("train", "a", "quebec-ssh")}, "RemoteMachines a, b."},
		"of many some are named and all counted": {many, "quebec-a100-4 and 3 more"},
	} {
		t.Run(name, func(t *testing.T) {
			step := leaving(Model{}, secret)
			if q := step.Look(nil); len(q) != 1 || q[0].Kind != infrastructure.RemoteMachineKind || q[0].Namespace != "train" {
				t.Errorf("it looks at %+v", q)
			}
			move := step.Next(test.seen)
			if move.Done != (test.says == "") || move.Later == move.Done || !strings.Contains(move.Why, test.says) {
				t.Errorf("got %+v, want %q", move, test.says)
			}
		})
	}
	if leaving(Model{}, composite.Ref{Kind: core.ConfigMapKind, Namespace: "train", Name: "quebec-site"}) != nil {
		t.Error("the record is waited for")
	}
}
