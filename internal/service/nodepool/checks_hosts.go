package nodepool

import (
	"fmt"
	"maps"
	"net/netip"
	"regexp"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

var (
	hostKey      = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$`)
	groupVersion = regexp.MustCompile(`^[a-z0-9]([a-z0-9.-]*[a-z0-9])?/v[a-z0-9]+$`)
)

const (
	longestLabel  = 63
	longestObject = 253
)

// hostsNamed: the key of a host is a part of the name of its object and of a label of its node.
func hostsNamed(m Model) []composite.Finding {
	e := effectiveOf(m)
	var out []composite.Finding
	named := map[string]string{}
	for _, key := range m.Hosts.Keys() {
		at := path.Root("hosts").AtMapKey(key)
		if !hostKey.MatchString(key) {
			out = append(out, fault(at, "Unusable name of a host", "%q becomes a part of the names of objects and of a node label. Allowed: lower case letters, digits, hyphens and dots, with a letter or digit on both ends. Example: \"gpu01\".", key))
			continue
		}
		host, known := e.hosts[key]
		if !known {
			continue
		}
		if label := hostName(e.site.Name.ValueString(), key); given(e.site.Name) && len(label) > longestLabel {
			out = append(out, fault(at, "Name of a host too long", "Its node gets the label %s=%s, and a label value has at most %d characters. Shorten the key by %d.", labelHost, label, longestLabel, len(label)-longestLabel))
		}
		if host.ObjectName.IsUnknown() || m.Name.IsUnknown() {
			continue
		}
		name := e.objectName(key)
		if len(name) > longestObject {
			out = append(out, fault(at, "Name of a host too long", "Its object would be called %s, with more than %d characters. Shorten the key.", name, longestObject))
		}
		if other, twice := named[name]; twice {
			out = append(out, fault(at.AtName("object_name"), "Two hosts with one object", "The hosts %s and %s would both be the PooledRemoteMachine %s. Give one of them another object_name.", other, key, name))
		}
		named[name] = key
	}
	return out
}

// place is an address to which one host answers, however it is spelled.
func place(address string, port int64) string {
	if ip, err := netip.ParseAddr(address); err == nil {
		address = ip.Unmap().String()
	}
	return fmt.Sprintf("%s, port %d", strings.TrimSuffix(strings.ToLower(address), "."), port)
}

// hostsApart: a host that is listed twice would be claimed twice, and the second bootstrap breaks the first.
func hostsApart(m Model) []composite.Finding {
	e := effectiveOf(m)
	var out []composite.Finding
	seen := map[string]string{}
	for _, key := range e.active() {
		host := e.hosts[key]
		if host.Address.IsUnknown() || host.Port.IsUnknown() || host.State.IsUnknown() || host.Port.IsNull() && (m.Site.IsUnknown() || e.site.SSH.IsUnknown() || e.ssh.Port.IsUnknown()) {
			continue
		}
		here := place(host.Address.ValueString(), e.port(host))
		if other, twice := seen[here]; twice {
			out = append(out, fault(path.Root("hosts").AtMapKey(key).AtName("address"), "A host is listed twice", "The hosts %s and %s are both at %s. Each would be joined to the cluster by itself, and the second time breaks the first. Remove one of them.", other, key, here))
			continue
		}
		seen[here] = key
	}
	return out
}

// hostsReachable: without a key the operator never gets in, and can never clean up.
func hostsReachable(m Model) []composite.Finding {
	e := effectiveOf(m)
	if m.Hosts.IsNull() || m.Site.IsUnknown() || m.Site.IsNull() || e.site.SSH.IsUnknown() || e.ssh.Secret.IsUnknown() || e.ssh.Secret.ValueString() != "" {
		return nil
	}
	return []composite.Finding{fault(path.Root("site").AtName("ssh"), "No key for the hosts", "Hosts are reached by SSH with a private key from a Secret, and site.ssh.secret names none. Write site = k0smos_site.<name>.ref, whose site has private_key_wo or secret.")}
}

func rebuildsKnown(m Model) []composite.Finding {
	if m.Hosts.IsUnknown() {
		return nil
	}
	e := effectiveOf(m)
	var out []composite.Finding
	for _, key := range m.Reprovision.Keys() {
		at := path.Root("reprovision").AtMapKey(key)
		o, listed := m.Hosts.Known()[key]
		switch {
		case !listed:
			out = append(out, fault(at, "No such host", "There is no host %q in hosts. The hosts are: %s.", key, orNone(strings.Join(m.Hosts.Keys(), ", "))))
		case !o.IsUnknown() && !slices.Contains(e.active(), key):
			out = append(out, fault(at, "A host that is drained", "The host %s has state drain: it leaves the cluster, and is built anew when it comes back. Remove it here.", key))
		}
	}
	return out
}

// hostLabelsAllowed: they are put below one prefix, which Cluster API carries to the node.
func hostLabelsAllowed(m Model) []composite.Finding {
	e := effectiveOf(m)
	var out []composite.Finding
	for _, host := range slices.Sorted(maps.Keys(e.hosts)) {
		for _, key := range e.hosts[host].Labels.Keys() {
			at := path.Root("hosts").AtMapKey(host).AtName("labels").AtMapKey(key)
			_, pooled := m.Labels.Elements()[hostPrefix+key]
			switch {
			case strings.Contains(key, "/"):
				out = append(out, fault(at, "A label of a host has no prefix", "The label %q of the host %s is put below %s. Write the part after the slash only; labels with a prefix of their own are for the whole pool.", key, host, hostPrefix))
			case hostPrefix+key == labelHost:
				out = append(out, fault(at, "A label of the provider's", "%s says which host a node is, and is set by the provider. Choose another name.", labelHost))
			case pooled:
				out = append(out, fault(at, "Two values of a label", "labels has %s for the whole pool, and the host %s has its own value. Remove one of them.", hostPrefix+key, host))
			}
		}
	}
	return out
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}

func compareText(a, b string) int { return strings.Compare(a, b) }

// isZero tells a duration that is zero, however it is spelled.
func isZero(s string) bool {
	d, err := tf.ParseDuration(s)
	return err == nil && d == 0
}
