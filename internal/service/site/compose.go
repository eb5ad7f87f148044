package site

import (
	"strconv"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/k0smos/terraform-provider-k0smos/internal/api/core"
	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

// Defaults of the ssh attribute.
const (
	defaultUser = "root"
	defaultPort = 22
)

const (
	privateKey = "ssh.private_key_wo"
	secretKey  = "value" // where k0smotron looks for a private key
	siteLabel  = "k0smos.io/site"
)

// Keys of the record. The last three say what an import could not find out otherwise: which Secret has the key, whether the
// site made it, and the version of the key that was written last.
const (
	recordRegion     = "region"
	recordZone       = "zone"
	recordLatitude   = "latitude"
	recordLongitude  = "longitude"
	recordUser       = "sshUser"
	recordPort       = "sshPort"
	recordSudo       = "sshUseSudo"
	recordSecret     = "sshSecret"
	recordMade       = "sshSecretMade"
	recordKeyVersion = "sshKeyVersion"
)

func recordName(site string) string { return site + "-site" }
func secretName(site string) string { return site + "-ssh" }

// compose returns the ConfigMap that records the site and, unless the key is in a Secret of the user's, the Secret.
func compose(m Model, f composite.Facts) ([]composite.Object, error) {
	name, namespace := m.Name.ValueString(), m.Namespace.ValueString()
	record := core.ConfigMap{Data: recordOf(m)}
	record.Labels = map[string]string{siteLabel: name}
	first, err := composite.NewObject(core.ConfigMapKind, namespace, recordName(name), record)
	if err != nil {
		return nil, err
	}
	ssh, _ := m.SSH.Get()
	if !ssh.Secret.IsNull() {
		return []composite.Object{first}, nil
	}
	content := map[string]any{"metadata": map[string]any{"labels": map[string]any{siteLabel: name}}}
	if key, given := f.WriteOnly(privateKey)[""]; given {
		content["data"] = map[string]any{secretKey: key}
	}
	return []composite.Object{first, composite.RawObject(core.SecretKind, namespace, secretName(name), content)}, nil
}

// recordOf is what the record says about a site. What is not given is not in it.
func recordOf(m Model) map[string]string {
	ssh := sshOf(m)
	out := map[string]string{
		recordUser:   ssh.User.ValueString(),
		recordPort:   strconv.FormatInt(ssh.Port.ValueInt64(), 10),
		recordSudo:   strconv.FormatBool(ssh.UseSudo.ValueBool()),
		recordSecret: ssh.Secret.ValueString(),
	}
	text := func(key string, v types.String) {
		if !v.IsNull() {
			out[key] = v.ValueString()
		}
	}
	text(recordRegion, m.Region)
	text(recordZone, m.Zone)
	if at, ok := m.Location.Get(); ok {
		out[recordLatitude], out[recordLongitude] = degrees(at.Latitude), degrees(at.Longitude)
	}
	given, _ := m.SSH.Get()
	out[recordMade] = strconv.FormatBool(given.Secret.IsNull())
	if !given.PrivateKeyVersion.IsNull() {
		out[recordKeyVersion] = strconv.FormatInt(given.PrivateKeyVersion.ValueInt64(), 10)
	}
	return out
}

func degrees(v types.Float64) string { return strconv.FormatFloat(v.ValueFloat64(), 'f', -1, 64) }

// sshOf is how hosts are reached, with every default filled in. What is not known yet stays so.
func sshOf(m Model) RefSSH {
	ssh, _ := m.SSH.Get()
	out := RefSSH{User: ssh.User, Port: ssh.Port, UseSudo: ssh.UseSudo, Secret: ssh.Secret}
	if out.User.IsNull() {
		out.User = types.StringValue(defaultUser)
	}
	if out.Port.IsNull() {
		out.Port = types.Int64Value(defaultPort)
	}
	if out.UseSudo.IsNull() {
		out.UseSudo = types.BoolValue(false)
	}
	if out.Secret.IsNull() { // the write-only key shows in no plan; it is given where no Secret is
		out.Secret = m.Name
		if !m.Name.IsUnknown() {
			out.Secret = types.StringValue(secretName(m.Name.ValueString()))
		}
	}
	return out
}

// derive fills the reference to the site.
func derive(m, _ *Model) {
	ssh := tf.UnknownObject[RefSSH]()
	if !m.SSH.IsUnknown() {
		ssh = tf.ObjectOf(sshOf(*m))
	}
	m.Ref = tf.ObjectOf(Ref{Name: m.Name, Namespace: m.Namespace, Region: m.Region, Zone: m.Zone, SSH: ssh})
}
