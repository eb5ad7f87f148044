package standin_test

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/k0smos/terraform-provider-k0smos/internal/devcluster/pki"
	"github.com/k0smos/terraform-provider-k0smos/internal/devcluster/standin"
)

func TestTheWebhookRefusesWhatTheRealOneRefuses(t *testing.T) {
	b := newBench(t, standin.Options{})
	b.create(t, controlPlanes, planeManifest)
	natsManifest := strings.NewReplacer("name: geo", "name: nats", "type: etcd, etcd: {autoDeletePVCs: true, persistence: {size: 5Gi}}", "type: nats").Replace(planeManifest)
	b.create(t, controlPlanes, natsManifest)

	const prefix = `admission webhook "validate-k0smotroncontrolplane-v1beta2.k0smotron.io" denied the request: `
	for _, test := range []struct {
		name, object, patch, denied string
	}{
		{"two minors up at once", "geo", `{"spec": {"version": "v1.37.0+k0s.0"}}`,
			prefix + "upgrading more than one minor version at a time is not allowed by the Kubernetes skew policy"},
		{"a version that is none", "geo", `{"spec": {"version": "latest"}}`, prefix + "failed to parse new version"},
		{"a replica change with NATS", "nats", `{"spec": {"replicas": 5}}`, prefix + "NATS storage does not support scaling, replicas cannot be changed from 3 to 5"},
		{"an early 1.34 behind an ingress", "geo", `{"spec": {"version": "v1.34.0+k0s.0", "ingress": {"apiHost": "a.example", "konnectivityHost": "b.example"}}}`,
			prefix + "ingress controller is not supported with k0s version v1.34.0+k0s.0"},
		{"one minor up passes", "geo", `{"spec": {"version": "v1.36.2+k0s.0"}}`, ""},
		{"a downgrade passes", "geo", `{"spec": {"version": "v1.30.0+k0s.0"}}`, ""},
		{"a misspelt persistence type passes", "geo", `{"spec": {"persistence": {"type": "emptydir"}}}`, ""},
		{"a 1.34 that knows ingresses passes", "geo", `{"spec": {"version": "v1.34.1-k0s.0", "ingress": {"apiHost": "a.example", "konnectivityHost": "b.example"}}}`, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := b.client.Resource(controlPlanes).Namespace(b.namespace).Patch(t.Context(), test.object, types.MergePatchType,
				[]byte(test.patch), metav1.PatchOptions{DryRun: []string{metav1.DryRunAll}})
			if test.denied == "" {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			if err == nil || !strings.HasPrefix(err.Error(), test.denied) || !apierrors.IsForbidden(err) {
				t.Fatalf("got %v, want a 403 that begins: %s", err, test.denied)
			}
		})
	}
}

func TestAWebhookThatFailsTwiceAnswersTheThirdTime(t *testing.T) {
	b := newBench(t, standin.Options{})
	b.operator.WebhookFailing(2)
	for range 2 {
		if _, err := b.tryCreate(t, controlPlanes, planeManifest); !apierrors.IsInternalError(err) || !strings.Contains(err.Error(), "failed calling webhook") {
			t.Fatalf("got %v, want an internal error of the webhook", err)
		}
	}
	b.create(t, controlPlanes, planeManifest)
}

func TestNothingHappensBeforeTheClusterOwnsTheControlPlane(t *testing.T) {
	b := newBench(t, standin.Options{})
	b.create(t, controlPlanes, planeManifest)
	b.awaitField(t, geoPlane, "meta.finalizers[0]", "k0smotron.controlplane.cluster.x-k8s.io")
	b.create(t, remoteClusters, remoteManifest)
	b.awaitField(t, geoRemote, "status.conditions[Ready].status", "True")
	if fields := b.fields(geoPlane); fields[available] != "Unknown" || b.fields(geoDerived) != nil {
		t.Errorf("the operator went on without an owner: %v", fields)
	}
}

func TestWhatTheOperatorWritesIsAnUpdateByK0smotron(t *testing.T) {
	b := newBench(t, standin.Options{})
	b.createGeo(t, planeManifest)
	b.awaitAvailable(t)
	plane, err := b.client.Resource(controlPlanes).Namespace(b.namespace).Get(t.Context(), "geo", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	found := slices.ContainsFunc(plane.GetManagedFields(), func(m metav1.ManagedFieldsEntry) bool {
		return m.Manager == "k0smotron" && m.Operation == metav1.ManagedFieldsOperationUpdate && m.Subresource == "" &&
			strings.Contains(m.FieldsV1.GetRawString(), `"f:certificateRefs"`) && strings.Contains(m.FieldsV1.GetRawString(), `"f:podCIDR"`)
	})
	if !found {
		t.Errorf("no such entry in %v", plane.GetManagedFields())
	}
}

func TestAFailingControlPlaneSaysWhyAndComesUpWhenHealed(t *testing.T) {
	b := newBench(t, standin.Options{})
	b.operator.Fail(b.namespace, "geo", "image cannot be pulled")
	b.createGeo(t, planeManifest)
	b.awaitField(t, geoDerived, "status.deprecated.v1beta1.reconciliationStatus", "Failed reconciling statefulset, image cannot be pulled")
	b.awaitField(t, geoPlane, "status.conditions[Available].message", "image cannot be pulled")
	b.awaitField(t, geoPlane, "status.replicas", 1)
	if fields := b.fields(geoPlane); fields["status.version"] != nil || fields["status.readyReplicas"] != float64(0) {
		t.Errorf("a failing control plane has something that runs: %v", fields)
	}
	b.operator.Fail(b.namespace, "geo", "")
	b.awaitAvailable(t)
}

func TestAControlPlaneThatIsNeverReadyHasAllButAvailability(t *testing.T) {
	b := newBench(t, standin.Options{})
	b.operator.NeverReady(b.namespace, "geo", true)
	b.createGeo(t, planeManifest)
	b.awaitField(t, geoPlane, "status.version", "v1.35.4+k0s.0")
	b.awaitField(t, "Secret.v1/geo-kubeconfig", "keys", "value")
	b.awaitField(t, geoDerived, available, "True")
	if fields := b.fields(geoPlane); fields[available] != "False" || fields["status.initialization.controlPlaneInitialized"] == true {
		t.Errorf("it got ready: %v", fields)
	}
	b.operator.NeverReady(b.namespace, "geo", false)
	b.awaitAvailable(t)
}

func TestASlowControlPlaneTakesItsTime(t *testing.T) {
	b := newBench(t, standin.Options{})
	const step = 50 * time.Millisecond
	b.operator.Slow(b.namespace, "geo", step)
	begun := time.Now()
	b.createGeo(t, planeManifest)
	b.awaitAvailable(t)
	if took := time.Since(begun); took < 6*step {
		t.Errorf("six steps of %s took %s", step, took)
	}
}

func TestReplicasFollowTheSpecAndVolumesNeverShrink(t *testing.T) {
	b := newBench(t, standin.Options{})
	b.createGeo(t, planeManifest)
	b.awaitAvailable(t)
	for _, test := range []struct {
		replicas, volumes int
	}{{4, 5}, {5, 5}, {1, 5}} {
		n := len(b.since(0))
		b.mustPatch(t, controlPlanes, fmt.Sprintf(`{"spec": {"replicas": %d}}`, test.replicas))
		b.await(t, geoPlane, fmt.Sprintf("%d replicas", test.replicas), func(fields map[string]any) bool {
			want := float64(test.replicas)
			return fields["status.replicas"] == want && fields["status.readyReplicas"] == want && fields["status.upToDateReplicas"] == want
		})
		for _, c := range b.since(n) {
			if c.Object == geoPlane && c.Fields[available] != nil {
				t.Errorf("scaling to %d touched the availability: %s", test.replicas, c)
			}
		}
		if has := b.volumes(t); len(has) != test.volumes {
			t.Errorf("with %d replicas there are the volumes %v", test.replicas, has)
		}
	}
}

func TestVolumesStayOrGoAsAutoDeletePVCsSays(t *testing.T) {
	for _, test := range []struct {
		name, auto string
		stay       int
	}{
		{"they go when they are deleted automatically", "true", 0},
		{"they stay when they are not", "false", 3},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := newBench(t, standin.Options{})
			b.createGeo(t, strings.Replace(planeManifest, "autoDeletePVCs: true", "autoDeletePVCs: "+test.auto, 1))
			b.awaitAvailable(t)
			has := b.volumes(t)
			if !slices.Equal(has, []string{"etcd-data-kmc-geo-etcd-0", "etcd-data-kmc-geo-etcd-1", "etcd-data-kmc-geo-etcd-2"}) {
				t.Fatalf("volumes are %v", has)
			}
			b.deleteGeo(t)
			b.awaitGone(t, "Secret.v1/geo-kubeconfig")
			deadline := time.After(patience)
			for len(b.volumes(t)) > test.stay {
				select {
				case <-deadline:
					t.Fatalf("still there: %v", b.volumes(t))
				case <-time.After(50 * time.Millisecond):
				}
			}
			if has := b.volumes(t); len(has) != test.stay {
				t.Errorf("volumes are %v", has)
			}
		})
	}
}

func (b *bench) volumes(t *testing.T) []string {
	t.Helper()
	list, err := b.client.Resource(claims).Namespace(b.namespace).List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, claim := range list.Items {
		if claim.GetDeletionTimestamp() == nil || len(claim.GetFinalizers()) > 0 {
			names = append(names, claim.GetName())
		}
	}
	return names
}

func TestAnAddressIsFoundWhereTheExposureHasOne(t *testing.T) {
	for _, test := range []struct {
		name, service, extra, host string
		port                       int
	}{
		{"a load balancer gives one", "LoadBalancer", "", "192.0.2.7", 16444},
		{"a node port takes that of a node", "NodePort", "", "192.0.2.7", 16444},
		{"an ingress has its own", "ClusterIP", "ingress: {apiHost: api.example, konnectivityHost: konnect.example, deploy: true}", "api.example", 443},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := newBench(t, standin.Options{Address: "192.0.2.7"})
			manifest := strings.NewReplacer("type: LoadBalancer", "type: "+test.service, "externalAddress: 127.0.0.1", test.extra).Replace(planeManifest)
			b.createGeo(t, manifest)
			b.awaitField(t, geoRemote, "spec.controlPlaneEndpoint.host", test.host)
			b.awaitField(t, geoCluster, "spec.controlPlaneEndpoint.port", test.port)
			b.awaitAvailable(t)
			if test.extra == "" {
				b.awaitField(t, geoPlane, "spec.externalAddress", test.host)
			}
		})
	}
}

func TestWithoutAnAddressTheControlPlaneWaits(t *testing.T) {
	b := newBench(t, standin.Options{})
	b.createGeo(t, strings.NewReplacer("type: LoadBalancer", "type: ClusterIP", "  externalAddress: 127.0.0.1\n", "").Replace(planeManifest))
	b.awaitField(t, geoDerived, "status.conditions[ControlPlaneExposed].message", "Waiting for external address. Check controller logs for more details.")
	b.mustPatch(t, controlPlanes, `{"spec": {"externalAddress": "127.0.0.1"}}`)
	b.awaitAvailable(t)
}

func TestARebuiltClusterHasAnotherIdentity(t *testing.T) {
	b := newBench(t, standin.Options{})
	b.createGeo(t, planeManifest)
	b.awaitAvailable(t)
	const id = "meta.annotations.k0sproject.io/cluster-id"
	before, config := b.fields(geoCluster)[id], b.kubeconfig(t)
	if err := b.operator.Rebuild(t.Context(), b.namespace, "geo"); err != nil {
		t.Fatal(err)
	}
	b.await(t, geoCluster, "another id", func(fields map[string]any) bool { return fields[id] != before })
	if string(b.kubeconfig(t)) == string(config) {
		t.Error("the kubeconfig still leads to the old one")
	}
}

func TestAHostedClusterThatCannotBeLaunchedIsTriedAgain(t *testing.T) {
	var tries atomic.Int64
	b := newBench(t, standin.Options{Launch: func(ctx context.Context, ref standin.Ref, ca pki.Pair) (*standin.Hosted, error) {
		if tries.Add(1) == 1 {
			return nil, errors.New("no port is free")
		}
		return launchFake(ctx, ref, ca)
	}})
	b.createGeo(t, planeManifest)
	b.awaitField(t, geoDerived, "status.deprecated.v1beta1.reconciliationStatus", "Failed reconciling secret, no port is free")
	b.awaitAvailable(t)
}

func TestAStoppedClusterIsUnavailableUntilItIsRebuilt(t *testing.T) {
	b := newBench(t, standin.Options{})
	b.createGeo(t, planeManifest)
	b.awaitAvailable(t)
	if err := b.operator.StopHosted(b.namespace, "geo"); err != nil {
		t.Fatal(err)
	}
	b.awaitField(t, geoPlane, "status.readyReplicas", 0)
	b.awaitField(t, geoPlane, available, "False")
	if err := b.operator.Rebuild(t.Context(), b.namespace, "geo"); err != nil {
		t.Fatal(err)
	}
	b.awaitField(t, geoPlane, available, "True")
	b.awaitField(t, geoPlane, "status.readyReplicas", 3)
}

func TestTheKubeconfigHasTheNamesOfTheRealOne(t *testing.T) {
	b := newBench(t, standin.Options{})
	b.createGeo(t, planeManifest)
	b.awaitAvailable(t)
	config, err := clientcmd.Load(b.kubeconfig(t))
	if err != nil {
		t.Fatal(err)
	}
	if config.CurrentContext != "geo-admin@geo-k0s" || config.Clusters["geo-k0s"] == nil || config.AuthInfos["geo-admin"] == nil {
		t.Errorf("context %q, clusters %v, users %v", config.CurrentContext, len(config.Clusters), len(config.AuthInfos))
	}
}

func TestCertificatesThatAUserBringsAreTaken(t *testing.T) {
	b := newBench(t, standin.Options{})
	b.create(t, secrets, `{apiVersion: v1, kind: Secret, metadata: {name: geo-sa}, type: cluster.x-k8s.io/secret, stringData: {tls.crt: mine, tls.key: mine too}}`)
	b.createGeo(t, planeManifest)
	b.awaitAvailable(t)
	secret, err := b.client.Resource(secrets).Namespace(b.namespace).Get(t.Context(), "geo-sa", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if value, _, _ := unstructured.NestedString(secret.Object, "data", "tls.crt"); value != "bWluZQ==" {
		t.Errorf("the certificate was replaced by %q", value)
	}
}

func TestAPausedClusterIsLeftAlone(t *testing.T) {
	b := newBench(t, standin.Options{})
	b.createGeo(t, planeManifest)
	b.awaitAvailable(t)
	b.mustPatch(t, controlPlanes, `{"metadata": {"annotations": {"cluster.x-k8s.io/paused": ""}}}`)
	b.mustPatch(t, controlPlanes, `{"spec": {"replicas": 1}}`)
	b.mustPatch(t, controlPlanes, `{"metadata": {"annotations": {"cluster.x-k8s.io/paused": null}}, "spec": {"replicas": 5}}`)
	b.awaitField(t, geoPlane, "status.readyReplicas", 5)
	for _, c := range b.since(0) {
		if c.Object == geoDerived && c.Fields["spec.replicas"] == float64(1) {
			t.Errorf("a change was handed on while paused: %s", c)
		}
	}
}

func TestAnotherStandInGoesOnWhereTheFirstEnded(t *testing.T) {
	b := newBench(t, standin.Options{})
	b.createGeo(t, planeManifest)
	b.awaitAvailable(t)
	old := base64.StdEncoding.EncodeToString(b.kubeconfig(t))
	if err := b.operator.Stop(); err != nil {
		t.Fatal(err)
	}
	next, err := standin.Start(t.Context(), management.RESTConfig(), standin.Options{Launch: launchFake, Log: t.Output()})
	if err != nil {
		t.Fatal(err)
	}
	b.operator = next
	b.await(t, "Secret.v1/geo-kubeconfig", "a new address", func(map[string]any) bool {
		value, _, _ := unstructured.NestedString(b.objects["Secret.v1/geo-kubeconfig"].Object, "data", "value")
		return value != old
	})
	b.mustPatch(t, controlPlanes, `{"spec": {"version": "v1.36.2+k0s.0"}}`)
	b.awaitField(t, geoPlane, "status.version", "v1.36.2+k0s.0")
	b.deleteGeo(t)
}
