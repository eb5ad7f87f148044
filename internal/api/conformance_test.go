package api_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/k0smos/terraform-provider-k0smos/internal/api"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/admission"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/bootstrap"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/clusterapi"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/controlplane"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/core"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/infrastructure"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/k0smotron"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/kai"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/kai/shard"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/kai/topology"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/kueue"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/schematest"
)

// Everything that has a generated definition.
var custom = []struct {
	kind   api.Kind
	object any
}{
	{clusterapi.ClusterKind, clusterapi.Cluster{}},
	{infrastructure.RemoteClusterKind, infrastructure.RemoteCluster{}},
	{controlplane.K0smotronControlPlaneKind, controlplane.K0smotronControlPlane{}},
	{k0smotron.ClusterKind, k0smotron.Cluster{}},
	{clusterapi.MachineDeploymentKind, clusterapi.MachineDeployment{}},
	{clusterapi.MachineSetKind, clusterapi.MachineSet{}},
	{clusterapi.MachineKind, clusterapi.Machine{}},
	{clusterapi.MachineHealthCheckKind, clusterapi.MachineHealthCheck{}},
	{infrastructure.PooledRemoteMachineKind, infrastructure.PooledRemoteMachine{}},
	{infrastructure.RemoteMachineKind, infrastructure.RemoteMachine{}},
	{infrastructure.RemoteMachineTemplateKind, infrastructure.RemoteMachineTemplate{}},
	{bootstrap.K0sWorkerConfigKind, bootstrap.K0sWorkerConfig{}},
	{bootstrap.K0sWorkerConfigTemplateKind, bootstrap.K0sWorkerConfigTemplate{}},
	{kai.QueueKind, kai.Queue{}},
	{shard.Kind, shard.SchedulingShard{}},
	{topology.Kind, topology.Topology{}},
	{kueue.CohortKind, kueue.Cohort{}},
	{kueue.ClusterQueueKind, kueue.ClusterQueue{}},
	{kueue.LocalQueueKind, kueue.LocalQueue{}},
	{kueue.ResourceFlavorKind, kueue.ResourceFlavor{}},
	{kueue.TopologyKind, kueue.Topology{}},
}

// free is left open in our definitions: the original spells out all of a Job.
const free = "provisionJob.jobSpecTemplate"

func TestEveryDefinitionIsGeneratedFromAStructOfTheList(t *testing.T) {
	all, err := open(t, schematest.Ours(t)).All()
	if err != nil {
		t.Fatal(err)
	}
	for _, definition := range all {
		if !slices.ContainsFunc(custom, func(c struct {
			kind   api.Kind
			object any
		}) bool {
			return c.kind.Group == definition.Spec.Group && c.kind.Kind == definition.Spec.Names.Kind
		}) {
			t.Errorf("%s has no struct in the list of this test", definition.Name)
		}
	}
	if len(all) != len(custom) {
		t.Errorf("%d definitions for %d structs", len(all), len(custom))
	}
}

func TestGeneratedDefinitionsAreUpToDateWithTheStructs(t *testing.T) {
	for _, c := range custom {
		t.Run(c.kind.APIVersion()+" "+c.kind.Kind, func(t *testing.T) {
			definition, version := find(t, schematest.Ours(t), c.kind)
			checkKind(t, c.kind, definition, version)
			inGo, inYAML := schematest.StructPaths(c.object), schematest.SchemaPaths(version.Schema.OpenAPIV3Schema)
			for _, path := range slices.Sorted(maps.Keys(inGo)) {
				if inYAML[path] != inGo[path] {
					t.Errorf("%s is %q in Go and %q in the definition: run make generate", path, inGo[path], inYAML[path])
				}
				delete(inYAML, path)
			}
			for _, path := range slices.Sorted(maps.Keys(inYAML)) {
				t.Errorf("%s is only in the definition: run make generate", path)
			}
		})
	}
}

func TestDefinitionsAreASubsetOfTheOriginals(t *testing.T) {
	folder := upstream(t)
	for _, c := range custom {
		t.Run(c.kind.APIVersion()+" "+c.kind.Kind, func(t *testing.T) {
			ours, _ := find(t, schematest.Ours(t), c.kind)
			theirs, _ := find(t, folder, c.kind)
			for _, difference := range schematest.Subset(ours, theirs) {
				if !strings.Contains(difference, free+": x-kubernetes-preserve-unknown-fields: ") {
					t.Error(difference)
				}
			}
		})
	}
}

func TestStructsAreASubsetOfTheOriginals(t *testing.T) {
	folder := upstream(t)
	for _, c := range custom {
		t.Run(c.kind.APIVersion()+" "+c.kind.Kind, func(t *testing.T) {
			definition, version := find(t, folder, c.kind)
			checkKind(t, c.kind, definition, version)
			comparePaths(t, schematest.StructPaths(c.object), schematest.SchemaPaths(version.Schema.OpenAPIV3Schema))
		})
	}
}

func TestStructsOfBuiltInKindsAreASubsetOfTheOriginals(t *testing.T) {
	comparePaths(t, schematest.StructPaths(core.Namespace{}), schematest.StructPaths(corev1.Namespace{}))
	comparePaths(t, schematest.StructPaths(core.Secret{}), schematest.StructPaths(corev1.Secret{}))
	comparePaths(t, schematest.StructPaths(core.ConfigMap{}), schematest.StructPaths(corev1.ConfigMap{}))
	comparePaths(t, schematest.StructPaths(core.Node{}), schematest.StructPaths(corev1.Node{}))
	comparePaths(t, schematest.StructPaths(admission.ValidatingAdmissionPolicy{}), schematest.StructPaths(admissionv1.ValidatingAdmissionPolicy{}))
	comparePaths(t, schematest.StructPaths(admission.ValidatingAdmissionPolicyBinding{}), schematest.StructPaths(admissionv1.ValidatingAdmissionPolicyBinding{}))
	comparePaths(t, schematest.StructPaths(core.LimitRange{}), schematest.StructPaths(corev1.LimitRange{}))
	comparePaths(t, schematest.StructPaths(core.ResourceQuota{}), schematest.StructPaths(corev1.ResourceQuota{}))
}

func comparePaths(t *testing.T, ours, theirs map[string]string) {
	t.Helper()
	for _, path := range slices.Sorted(maps.Keys(ours)) {
		leftOpen := strings.HasSuffix(path, free) && ours[path] == theirs[path]+" any"
		if theirs[path] != ours[path] && !leftOpen {
			t.Errorf("%s is %q in our struct and %q in the original", path, ours[path], theirs[path])
		}
	}
}

func checkKind(t *testing.T, kind api.Kind, definition *apiextensions.CustomResourceDefinition, version *apiextensions.CustomResourceDefinitionVersion) {
	t.Helper()
	if definition.Spec.Names.Plural != kind.Resource {
		t.Errorf("plural is %s, the kind says %s", definition.Spec.Names.Plural, kind.Resource)
	}
	if namespaced := definition.Spec.Scope == apiextensions.NamespaceScoped; namespaced != kind.Namespaced {
		t.Errorf("scope is %s, the kind says namespaced = %t", definition.Spec.Scope, kind.Namespaced)
	}
	if !version.Served || !version.Storage {
		t.Errorf("version %s is served = %t and stored = %t, both must be true", version.Name, version.Served, version.Storage)
	}
}

func find(t *testing.T, folder string, kind api.Kind) (*apiextensions.CustomResourceDefinition, *apiextensions.CustomResourceDefinitionVersion) {
	t.Helper()
	definition, version, err := open(t, folder).Find(kind.Group, kind.Version, kind.Kind)
	if err != nil {
		t.Fatal(err)
	}
	if definition == nil {
		t.Fatalf("no definition of %s %s in %s", kind.APIVersion(), kind.Kind, folder)
	}
	return definition, version
}

func open(t *testing.T, folder string) *schematest.Definitions {
	t.Helper()
	definitions, err := schematest.Open(folder)
	if err != nil {
		t.Fatal(err)
	}
	return definitions
}

// upstream is the folder of the originals. The comparison itself is tested in schematest, with or without them.
func upstream(t *testing.T) string {
	t.Helper()
	folder := schematest.Upstream(t)
	if folder == "" {
		t.Skipf("%s is not set: without the original definitions there is nothing to compare ours with; CI sets it", schematest.Variable)
	}
	return folder
}
