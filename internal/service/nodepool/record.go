package nodepool

import (
	"encoding/json"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

// Annotations of objects of a pool.
const (
	recordAnnotation      = "k0smos.io/declaration" // on the MachineDeployment: see record
	reprovisionAnnotation = "k0smos.io/reprovision" // on a host: the trigger that it was last built for
)

// record is what of a declaration no object shows: an import reads it back. There is nothing secret in it. Fields that say
// nothing are left out, so that one that is added later changes no object that is out there.
type record struct {
	Site       siteRecord `json:"site"`
	GPU        *gpuRecord `json:"gpu,omitempty"`
	Pool       string     `json:"schedulerPool,omitempty"`
	NodeIPCIDR string     `json:"nodeIPCIDR,omitempty"`
	Template   string     `json:"templateVersion,omitempty"` // API version of machine_template
}

type siteRecord struct {
	Name      string     `json:"name,omitempty"`
	Namespace string     `json:"namespace,omitempty"`
	Region    string     `json:"region,omitempty"`
	Zone      string     `json:"zone,omitempty"`
	SSH       *sshRecord `json:"ssh,omitempty"`
}

type sshRecord struct {
	User    *string `json:"user,omitempty"`
	Port    *int64  `json:"port,omitempty"`
	UseSudo *bool   `json:"useSudo,omitempty"`
	Secret  *string `json:"secret,omitempty"`
}

type gpuRecord struct {
	Vendor       string              `json:"vendor,omitempty"`
	Model        string              `json:"model,omitempty"`
	PerNode      *int64              `json:"perNode,omitempty"`
	Memory       *string             `json:"memory,omitempty"`
	Runtime      *string             `json:"runtime,omitempty"`
	Partitioning *partitioningRecord `json:"partitioning,omitempty"`
}

type partitioningRecord struct {
	Mode     *string `json:"mode,omitempty"`
	Profile  *string `json:"profile,omitempty"`
	Strategy *string `json:"strategy,omitempty"`
	Config   *string `json:"config,omitempty"`
	Replicas *int64  `json:"replicas,omitempty"`
}

func recordOf(m Model, e effective) string {
	r := record{
		Site: siteRecord{Name: e.site.Name.ValueString(), Namespace: e.site.Namespace.ValueString(), Region: e.site.Region.ValueString(), Zone: e.site.Zone.ValueString()},
		Pool: m.SchedulerPool.ValueString(), NodeIPCIDR: m.NodeIPCIDR.ValueString(), Template: e.template.APIVersion.ValueString(),
	}
	if ssh, ok := e.site.SSH.Get(); ok {
		r.Site.SSH = &sshRecord{User: ssh.User.ValueStringPointer(), Port: ssh.Port.ValueInt64Pointer(), UseSudo: ssh.UseSudo.ValueBoolPointer(), Secret: ssh.Secret.ValueStringPointer()}
	}
	if e.hasGPU {
		g := e.gpu
		r.GPU = &gpuRecord{Vendor: g.Vendor.ValueString(), Model: g.Model.ValueString(), PerNode: g.PerNode.ValueInt64Pointer(), Memory: g.Memory.ValueStringPointer(), Runtime: g.Runtime.ValueStringPointer()}
		if p, ok := g.Partitioning.Get(); ok {
			r.GPU.Partitioning = &partitioningRecord{Mode: p.Mode.ValueStringPointer(), Profile: p.Profile.ValueStringPointer(), Strategy: p.Strategy.ValueStringPointer(), Config: p.Config.ValueStringPointer(), Replicas: p.Replicas.ValueInt64Pointer()}
		}
	}
	wire, err := json.Marshal(r)
	if err != nil {
		return "" // plain data always has a JSON text
	}
	return string(wire)
}

// readRecord takes what a record says into a model.
func readRecord(text string, m *Model) bool {
	var r record
	if text == "" || json.Unmarshal([]byte(text), &r) != nil {
		return false
	}
	site := Site{Name: types.StringValue(r.Site.Name), Namespace: types.StringValue(r.Site.Namespace), Region: tf.TextOrNull(r.Site.Region), Zone: tf.TextOrNull(r.Site.Zone), SSH: tf.NullObject[SSH]()}
	if s := r.Site.SSH; s != nil {
		site.SSH = tf.ObjectOf(SSH{User: types.StringPointerValue(s.User), Port: types.Int64PointerValue(s.Port), UseSudo: types.BoolPointerValue(s.UseSudo), Secret: types.StringPointerValue(s.Secret)})
	}
	m.Site = tf.ObjectOf(site)
	m.SchedulerPool = tf.TextOrNull(r.Pool)
	if r.NodeIPCIDR != "" {
		m.NodeIPCIDR = prefixOf(r.NodeIPCIDR)
	}
	m.GPU = tf.NullObject[GPU]()
	if g := r.GPU; g != nil {
		gpu := GPU{Vendor: tf.TextOrNull(g.Vendor), Model: tf.TextOrNull(g.Model), PerNode: types.Int64PointerValue(g.PerNode), Memory: quantityOrNull(g.Memory), Runtime: types.StringPointerValue(g.Runtime), Partitioning: tf.NullObject[Partitioning]()}
		if p := g.Partitioning; p != nil {
			gpu.Partitioning = tf.ObjectOf(Partitioning{
				Mode: types.StringPointerValue(p.Mode), Profile: types.StringPointerValue(p.Profile), Strategy: types.StringPointerValue(p.Strategy), Config: types.StringPointerValue(p.Config), Replicas: types.Int64PointerValue(p.Replicas),
			})
		}
		m.GPU = tf.ObjectOf(gpu)
	}
	if template, ok := m.MachineTemplate.Get(); ok && r.Template != "" {
		template.APIVersion = types.StringValue(r.Template)
		m.MachineTemplate = tf.ObjectOf(template)
	}
	return true
}

func quantityOrNull(s *string) tf.Quantity {
	if s == nil {
		return tf.NullQuantity()
	}
	return tf.QuantityOf(*s)
}
