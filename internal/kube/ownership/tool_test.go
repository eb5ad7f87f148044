package ownership

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

func TestToolsAreKnownByTheirMarks(t *testing.T) {
	for _, c := range []struct{ name, metadata, tool, detail string }{
		{"Helm", `{labels: {app.kubernetes.io/managed-by: Helm}, annotations: {meta.helm.sh/release-name: kai, meta.helm.sh/release-namespace: kai-scheduler}}`, "Helm", "release kai-scheduler/kai"},
		{"Helm's label alone is only a chart rendered by somebody", `{labels: {app.kubernetes.io/managed-by: Helm}}`, "", ""},
		{"Flux with Helm", `{labels: {app.kubernetes.io/managed-by: Helm, helm.toolkit.fluxcd.io/name: geo, helm.toolkit.fluxcd.io/namespace: kcm-system}, annotations: {meta.helm.sh/release-name: geo}}`, "Flux", "HelmRelease kcm-system/geo"},
		{"Flux with Kustomize", `{labels: {kustomize.toolkit.fluxcd.io/name: apps, kustomize.toolkit.fluxcd.io/namespace: flux-system}}`, "Flux", "Kustomization flux-system/apps"},
		{"Argo CD by annotation", `{annotations: {argocd.argoproj.io/tracking-id: "geo:apps/Deployment:default/web"}}`, "Argo CD", "Application geo"},
		{"Argo CD by label", `{labels: {argocd.argoproj.io/instance: geo}}`, "Argo CD", "Application geo"},
		{"kcm's own copies", `{labels: {k0rdent.mirantis.com/managed: "true", k0rdent.mirantis.com/component: kcm}}`, "kcm", "label k0rdent.mirantis.com/managed=true"},
		{"kcm marks users' objects as components, which means nothing", `{labels: {k0rdent.mirantis.com/component: kcm}}`, "", ""},
		{"services of k0rdent, which Sveltos installs by Helm", `{labels: {app.kubernetes.io/managed-by: Helm}, annotations: {meta.helm.sh/release-name: x, projectsveltos.io/owner-kind: Profile, projectsveltos.io/owner-name: geo}}`, "Sveltos", "Profile geo"},
		{"ours", `{labels: {app.kubernetes.io/managed-by: terraform-provider-k0smos}}`, "", ""},
		{"nobody's", `{}`, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			tool, detail, ok := KnownTool(object(t, "metadata: "+c.metadata))
			if tool != c.tool || detail != c.detail || ok != (c.tool != "") {
				t.Errorf("got %q, %q, %v", tool, detail, ok)
			}
		})
	}
	if _, _, ok := KnownTool(nil); ok {
		t.Error("no object belongs to nobody")
	}
}

// patched is what is left of live when manager gave up its part: the patch's steps, taken one by one.
func patched(t *testing.T, live *unstructured.Unstructured, manager string) map[string]any {
	t.Helper()
	var steps []operation
	if err := json.Unmarshal(StripPatch(live, manager), &steps); err != nil {
		t.Fatal(err)
	}
	out := live.DeepCopy().Object
	for _, step := range steps {
		var path fieldpath.Path
		for _, part := range strings.Split(step.Path, "/")[1:] {
			part = strings.NewReplacer("~1", "/", "~0", "~").Replace(part)
			if i, err := strconv.Atoi(part); err == nil {
				path = append(path, fieldpath.IndexElement(i))
			} else {
				path = append(path, fieldpath.FieldNameElement(part))
			}
		}
		at := FormatPath(path)
		if _, ok := Lookup(out, at); !ok {
			t.Fatalf("%s %s: not there", step.Op, step.Path)
		}
		if step.Op == "remove" {
			Remove(out, at)
		} else {
			mustSet(t, out, at, step.Value)
		}
	}
	return out
}

func TestStripPatchGivesUpWhatIsOursAndNoValue(t *testing.T) {
	live := object(t, `
metadata:
  resourceVersion: "42"
  labels: {app.kubernetes.io/managed-by: terraform-provider-k0smos, team: vision}
  annotations: {k0smos.io/owner: 1f0c, k0smos.io/owner-name: prod, example.com/x: y}
  managedFields:
  - {manager: 'p:queue', operation: Apply}
  - {manager: kubectl, operation: Update}
  - {manager: 'p:queue', operation: Update}
  - {manager: 'p:queue', operation: Update, subresource: status}
spec: {a: 1}
`)
	got := patched(t, live, "p:queue")
	want := object(t, `
metadata:
  resourceVersion: "42"
  labels: {team: vision}
  annotations: {example.com/x: y}
  managedFields: [{manager: kubectl, operation: Update}, {manager: 'p:queue', operation: Update, subresource: status}]
spec: {a: 1}
`)
	if fmt.Sprint(got) != fmt.Sprint(want.Object) {
		t.Errorf("got  %v\nwant %v", got, want.Object)
	}
}

func TestStripPatchGuardsTheVersionItHasSeen(t *testing.T) {
	live := object(t, `metadata: {resourceVersion: "42", annotations: {k0smos.io/owner: 1f0c}}`)
	want := `[{"op":"replace","path":"/metadata/resourceVersion","value":"42"},{"op":"remove","path":"/metadata/annotations/k0smos.io~1owner"}]`
	if got := string(StripPatch(live, "x")); got != want {
		t.Errorf("got %s", got)
	}
}

func TestStripPatchResetsManagedFieldsThatAreAllOurs(t *testing.T) {
	live := object(t, `metadata: {managedFields: [{manager: us, operation: Apply}]}`)
	if got := fmt.Sprint(patched(t, live, "us")); got != "map[metadata:map[managedFields:[map[]]]]" {
		t.Errorf("got %s", got)
	}
}

func TestStripPatchOfAStrangersObjectIsNone(t *testing.T) {
	live := object(t, `metadata: {resourceVersion: "42", labels: {app.kubernetes.io/managed-by: Helm}, managedFields: [{manager: helm, operation: Update}]}`)
	if got := StripPatch(live, "us"); got != nil {
		t.Errorf("got %s", got)
	}
	if got := StripPatch(nil, "us"); got != nil {
		t.Errorf("got %s", got)
	}
}
