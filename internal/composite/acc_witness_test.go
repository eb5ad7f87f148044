package composite_test

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	k8stypes "k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/k0smos/terraform-provider-k0smos/internal/acctest"
	"github.com/k0smos/terraform-provider-k0smos/internal/kube"
)

// talk is what the provider said about resources: the messages by what was asked for, and every byte that the command line
// may keep.
type talk struct {
	mu    sync.Mutex
	said  map[string][]string // "plan" or "apply" -> "warning at size: Summary: Detail"
	bytes []byte
}

func (k *talk) note(operation string, messages []*tfprotov6.Diagnostic, kept ...[]byte) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.said == nil {
		k.said = map[string][]string{}
	}
	for _, d := range messages {
		text := strings.ToLower(d.Severity.String())
		if d.Attribute != nil {
			text += " at " + d.Attribute.String()
		}
		text += ": " + d.Summary + ": " + d.Detail
		k.said[operation] = append(k.said[operation], text)
		kept = append(kept, []byte(text))
	}
	for _, b := range kept {
		k.bytes = append(append(k.bytes, b...), '\n')
	}
}

// forget starts anew with what was said.
func (k *talk) forget() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.said = nil
}

// during returns what was said while planning or applying.
func (k *talk) during(operation string) string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return strings.Join(k.said[operation], "\n")
}

// says fails the test where the texts were not said during an operation.
func (k *talk) says(t *testing.T, operation string, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if said := k.during(operation); !strings.Contains(said, text) {
			t.Errorf("the %s does not say %q but:\n%s", operation, text, said)
		}
	}
}

// listener notes what a provider says.
type listener struct {
	tfprotov6.ProviderServer
	talk *talk
}

// PlanResourceChange listens to a plan.
func (l listener) PlanResourceChange(ctx context.Context, req *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
	resp, err := l.ProviderServer.PlanResourceChange(ctx, req)
	if resp != nil {
		l.talk.note("plan", resp.Diagnostics, packed(resp.PlannedState), unpacked(resp.PlannedPrivate))
	}
	return resp, err
}

// ApplyResourceChange listens to an apply.
func (l listener) ApplyResourceChange(ctx context.Context, req *tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error) {
	resp, err := l.ProviderServer.ApplyResourceChange(ctx, req)
	if resp != nil {
		l.talk.note("apply", resp.Diagnostics, packed(resp.NewState), unpacked(resp.Private))
	}
	return resp, err
}

// ReadResource listens to a read.
func (l listener) ReadResource(ctx context.Context, req *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	resp, err := l.ProviderServer.ReadResource(ctx, req)
	if resp != nil {
		l.talk.note("read", resp.Diagnostics, packed(resp.NewState), unpacked(resp.Private))
	}
	return resp, err
}

func packed(v *tfprotov6.DynamicValue) []byte {
	if v == nil {
		return nil
	}
	return v.MsgPack
}

// unpacked is private state as the provider wrote it: the framework wraps it in base64.
func unpacked(private []byte) []byte {
	var values map[string][]byte
	if json.Unmarshal(private, &values) != nil {
		return private
	}
	return slices.Concat(slices.Collect(maps.Values(values))...)
}

// paper collects what ends up on paper: plans and states as JSON, and everything that the provider handed over.
type paper struct {
	dir  string
	mu   sync.Mutex
	many int
}

func (p *paper) write(content []byte) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.many++
	return os.WriteFile(filepath.Join(p.dir, strconv.Itoa(p.many)+".txt"), content, 0o600)
}

// CheckPlan keeps a plan.
func (p *paper) CheckPlan(_ context.Context, req plancheck.CheckPlanRequest, resp *plancheck.CheckPlanResponse) {
	raw, err := json.Marshal(req.Plan)
	if err == nil {
		err = p.write(raw)
	}
	resp.Error = err
}

// CheckState keeps a state.
func (p *paper) CheckState(_ context.Context, req statecheck.CheckStateRequest, resp *statecheck.CheckStateResponse) {
	raw, err := json.Marshal(req.State)
	if err == nil {
		err = p.write(raw)
	}
	resp.Error = err
}

// finalizer holds a deleted object until the test has seen it.
const finalizer = "acctest.k0smos.io/held"

// ends is the record of deletions in a namespace.
type ends struct {
	mu   sync.Mutex
	seen []end
}

type end struct {
	version int // of the whole store, so that it orders objects of all kinds
	what    string
}

// watchEnds records deletions in the namespace from now on, and lets held objects go once their deletion is recorded.
func (b *bench) watchEnds(t *testing.T) *ends {
	t.Helper()
	e := &ends{}
	for _, kind := range []kube.Kind{acctest.ConfigMaps, acctest.Secrets, acctest.Widgets} {
		client := b.Client.Resource(schema.GroupVersionResource{Group: kind.Group, Version: kind.Version, Resource: kind.Resource}).Namespace(b.namespace)
		stream, err := client.Watch(t.Context(), metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(stream.Stop)
		ctx := t.Context()
		go func() {
			for event := range stream.ResultChan() {
				o, ok := event.Object.(*unstructured.Unstructured)
				if ok && e.note(event.Type, o) && slices.Contains(o.GetFinalizers(), finalizer) {
					_, _ = client.Patch(ctx, o.GetName(), k8stypes.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{})
				}
			}
		}()
	}
	return e
}

// note records an event and tells whether the deletion of an object began with it.
func (e *ends) note(event watch.EventType, o *unstructured.Unstructured) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	version, _ := strconv.Atoi(o.GetResourceVersion())
	what := o.GetKind() + "/" + o.GetName()
	switch {
	case event == watch.Deleted:
		what = "-" + what
	case o.GetDeletionTimestamp() == nil:
		return false
	}
	if slices.ContainsFunc(e.seen, func(seen end) bool { return seen.what == what }) {
		return false
	}
	e.seen = append(e.seen, end{version, what})
	return event != watch.Deleted
}

// were fails the test unless just these objects were deleted in this order, each one gone before the next was asked to go.
func (e *ends) were(t *testing.T, objects ...string) {
	t.Helper()
	var want []string
	for _, o := range objects {
		want = append(want, o, "-"+o)
	}
	acctest.Eventually(t, "all deletions are seen", func() bool { return len(e.inOrder()) >= len(want) })
	equal(t, "deletions", strings.Join(e.inOrder(), " "), strings.Join(want, " "))
}

func (e *ends) inOrder() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	slices.SortFunc(e.seen, func(a, b end) int { return cmp.Compare(a.version, b.version) })
	out := make([]string, 0, len(e.seen))
	for _, seen := range e.seen {
		out = append(out, seen.what)
	}
	return out
}
