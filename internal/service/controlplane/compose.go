package controlplane

import (
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/k0smos/terraform-provider-k0smos/internal/api"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/clusterapi"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/controlplane"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/infrastructure"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/k0smotron"
	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

// compose returns the Cluster, the RemoteCluster and the K0smotronControlPlane. All have the cluster's name. The
// k0smotron Cluster is derived from the last one by the operator and never written here.
//
// What the operator writes into the spec of the K0smotronControlPlane itself is left out: certificateRefs, manifests,
// and k0sConfig.spec.network.podCIDR and serviceCIDR, which it takes from the Cluster.
func compose(m Model, _ composite.Facts) ([]composite.Object, error) {
	e := effectiveOf(m)
	name, namespace := m.Name.ValueString(), m.Namespace.ValueString()
	spec, err := specOf(m, e)
	if err != nil {
		return nil, err
	}
	var out []composite.Object
	for _, part := range []struct {
		kind api.Kind
		body any
	}{
		{clusterapi.ClusterKind, clusterapi.Cluster{Spec: clusterapi.ClusterSpec{
			ClusterNetwork: &clusterapi.ClusterNetwork{
				Pods:          &clusterapi.NetworkRanges{CIDRBlocks: []string{e.podCIDR}},
				Services:      &clusterapi.NetworkRanges{CIDRBlocks: []string{e.serviceCIDR}},
				ServiceDomain: e.network.ClusterDomain.ValueString(),
			},
			ControlPlaneRef:   &clusterapi.Reference{APIGroup: controlplane.K0smotronControlPlaneKind.Group, Kind: controlplane.K0smotronControlPlaneKind.Kind, Name: name},
			InfrastructureRef: &clusterapi.Reference{APIGroup: infrastructure.RemoteClusterKind.Group, Kind: infrastructure.RemoteClusterKind.Kind, Name: name},
		}}},
		{infrastructure.RemoteClusterKind, infrastructure.RemoteCluster{}},
		{controlplane.K0smotronControlPlaneKind, controlplane.K0smotronControlPlane{Spec: spec}},
	} {
		object, err := composite.NewObject(part.kind, namespace, name, part.body)
		if err != nil {
			return nil, err
		}
		out = append(out, object)
	}
	return out, nil
}

func specOf(m Model, e effective) (k0smotron.ClusterSpec, error) {
	replicas := int32(tf.NumberOr(m.Replicas, defaultReplicas)) //nolint:gosec // validated to be a small number
	config, err := k0sConfigOf(m, e)
	if err != nil {
		return k0smotron.ClusterSpec{}, err
	}
	patches, err := patchesOf(m, e)
	if err != nil {
		return k0smotron.ClusterSpec{}, err
	}
	spec := k0smotron.ClusterSpec{
		Replicas: &replicas, Version: versionOf(m), ExternalAddress: e.expose.ExternalAddress.ValueString(),
		Service:     &k0smotron.Service{Type: serviceType(e.exposeType), APIPort: int(e.apiPort), KonnectivityPort: int(e.konnectivityPort)},
		Persistence: &k0smotron.Persistence{Type: "emptyDir"}, // only /var/lib/k0s of a member; the data is in the storage
		Storage:     storageOf(e), K0sConfig: config, Patches: patches, Resources: resourcesOf(m),
	}
	if e.exposeType == exposeIngress {
		deploy := true
		spec.Ingress = &k0smotron.Ingress{
			Deploy: &deploy, Port: tf.NumberOr(e.ingress.Port, defaultIngressPort), APIHost: e.ingress.APIHost.ValueString(),
			KonnectivityHost: e.ingress.KonnectivityHost.ValueString(), Annotations: texts(e.ingress.Annotations),
		}
		if class := e.ingress.ClassName.ValueString(); class != "" {
			spec.Ingress.ClassName = &class
		}
	}
	return spec, nil
}

// versionOf is the version in the one spelling that every field of k0smotron takes.
func versionOf(m Model) string {
	if version, ok := m.Version.Get(); ok {
		return version.String()
	}
	return m.Version.ValueString()
}

// serviceType is the Service below the exposure: an ingress controller needs no more than a cluster IP.
func serviceType(expose string) k0smotron.ServiceType {
	if expose == exposeIngress {
		return k0smotron.ServiceClusterIP
	}
	return k0smotron.ServiceType(expose)
}

// storageOf always writes the type: the operator guessed an absent one differently from release to release.
func storageOf(e effective) *k0smotron.Storage {
	if e.storageType == storageKine {
		kine, _ := e.storage.Kine.Get()
		return &k0smotron.Storage{Type: k0smotron.StorageKine, Kine: &k0smotron.Kine{DataSourceSecretName: kine.Secret.ValueString()}}
	}
	remove := e.etcd.AutoDelete.ValueBool()
	etcd := &k0smotron.Etcd{
		AutoDeletePVCs: &remove,
		Persistence:    &k0smotron.EtcdPersistence{Size: api.NewQuantity(canonical(e.size)), StorageClass: e.etcd.StorageClass.ValueString()},
	}
	if defrag, ok := e.etcd.Defrag.Get(); ok {
		etcd.DefragJob = &k0smotron.DefragJob{Enabled: true, Schedule: tf.TextOr(defrag.Schedule, defaultDefrag)}
	}
	return &k0smotron.Storage{Type: k0smotron.StorageEtcd, Etcd: etcd}
}

// canonical is the quantity in the spelling of Kubernetes.
func canonical(text string) string {
	q, err := tf.ParseQuantity(text)
	if err != nil {
		return text
	}
	return q.String()
}

func resourcesOf(m Model) *api.Resources {
	r, ok := m.Resources.Get()
	if !ok {
		return nil
	}
	list := func(of tf.Map[tf.Quantity]) api.ResourceList {
		out := api.ResourceList{}
		for name, q := range of.Known() {
			out[name] = api.NewQuantity(canonical(q.ValueString()))
		}
		return out
	}
	return &api.Resources{Requests: list(r.Requests), Limits: list(r.Limits)}
}

func texts(m tf.Map[types.String]) map[string]string {
	out := map[string]string{}
	for k, v := range m.Known() {
		out[k] = v.ValueString()
	}
	if len(out) == 0 {
		return nil
	}
	return out
}
