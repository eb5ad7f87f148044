package quota

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/k0smos/terraform-provider-k0smos/internal/api/core"
	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
	"github.com/k0smos/terraform-provider-k0smos/internal/service/scheduling"
	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

// A check says nothing about what is not known yet: it is asked again when it is.
var checks = []composite.Check[Model]{something, knownGPUs, requestsBelowLimits, wholeBytes}

func something(m Model) []composite.Finding {
	if m.GPUs.IsUnknown() || m.DefaultLimits.IsUnknown() {
		return nil
	}
	d, _ := m.DefaultLimits.Get()
	if m.CPU.IsNull() && m.Memory.IsNull() && m.Pods.IsNull() && len(m.GPUs.Known()) == 0 && d.CPU.IsNull() && d.Memory.IsNull() && d.CPURequest.IsNull() && d.MemoryRequest.IsNull() {
		return []composite.Finding{{Path: path.Root("name"), Summary: "Quota of nothing", Detail: "Nothing is capped. Set at least one of cpu, memory, gpus, pods and default_limits."}}
	}
	return nil
}

var (
	device     = regexp.MustCompile(`^[a-z0-9]([a-z0-9.-]*[a-z0-9])?/[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$`)
	migProfile = regexp.MustCompile(`^(nvidia\.com/mig-)\d+g\.\d+gb(\.[a-z0-9.]+)?$`)
	offered    = regexp.MustCompile(`^(nvidia\.com/gpu(\.shared)?|amd\.com/(gpu|[sdqc]px_nps[1248])|gpu\.intel\.com/.+|habana\.ai/gaudi)$`)
)

// knownGPUs: the API server takes any name, and a cap of a misspelled one caps nothing.
func knownGPUs(m Model) []composite.Finding {
	var out []composite.Finding
	known := m.GPUs.Known()
	for _, name := range slices.Sorted(maps.Keys(known)) {
		at := path.Root("gpus").AtMapKey(name)
		switch {
		case strings.HasPrefix(name, requests) || strings.HasPrefix(name, "limits."):
			_, bare, _ := strings.Cut(name, ".")
			out = append(out, composite.Finding{Path: at, Summary: "Not the name of a device", Detail: fmt.Sprintf("gpus has %q, which is a key of a ResourceQuota. Write the name of the device alone: %q.", name, bare)})
		case !device.MatchString(name):
			out = append(out, composite.Finding{Path: at, Summary: "Not the name of a device", Detail: fmt.Sprintf("gpus has %q, and nodes offer devices under a name with a domain. Allowed: for example %q, %q or \"%s3g.40gb\". CPU and memory have attributes of their own.",
				name, scheduling.NVIDIAGPU, scheduling.AMDGPU, scheduling.MIGPrefix)})
		case known[name].IsNull():
			out = append(out, composite.Finding{Path: at, Summary: "Cap without a number", Detail: fmt.Sprintf("gpus has %q with null. Give it a number, or leave it out.", name)})
		case strings.HasPrefix(name, scheduling.MIGPrefix) && !migProfile.MatchString(name):
			out = append(out, composite.Finding{Path: at, Summary: "Not a MIG profile", Detail: fmt.Sprintf("gpus has %q, which no card offers. Allowed: slices and memory of a profile, such as \"%s3g.40gb\", or with a suffix \"%s1g.10gb.me\".", name, scheduling.MIGPrefix, scheduling.MIGPrefix)})
		case !strings.HasPrefix(name, scheduling.MIGPrefix) && !offered.MatchString(name):
			out = append(out, composite.Finding{Path: at, Warning: true, Summary: "Unusual device", Detail: fmt.Sprintf("gpus has %q, which no device plugin of GPUs that we know of offers. Kubernetes takes any name, and a misspelled one caps nothing. See what nodes offer with: kubectl get nodes -o jsonpath='{.items[*].status.allocatable}'", name)})
		}
	}
	return out
}

// requestsBelowLimits: the API server refuses a LimitRange that is not so.
func requestsBelowLimits(m Model) []composite.Finding {
	var out []composite.Finding
	d, _ := m.DefaultLimits.Get()
	for _, p := range []struct {
		name           string
		limit, request tf.Quantity
	}{{"cpu", d.CPU, d.CPURequest}, {"memory", d.Memory, d.MemoryRequest}} {
		limit, limited := p.limit.Get()
		request, asked := p.request.Get()
		if limited && asked && request.Cmp(limit) > 0 {
			out = append(out, composite.Finding{Path: path.Root("default_limits").AtName(p.name + "_request"), Summary: "Request above the limit", Detail: fmt.Sprintf(
				"default_limits.%s_request is %s, above default_limits.%s, which is %s. A container never gets more than its limit: lower the request or raise the limit.", p.name, p.request.ValueString(), p.name, p.limit.ValueString())})
		}
	}
	return out
}

// wholeBytes: less than a byte, or a thousandth of a CPU, cannot be had, and the API server rounds it up.
func wholeBytes(m Model) []composite.Finding {
	var out []composite.Finding
	d, _ := m.DefaultLimits.Get()
	limits := path.Root("default_limits")
	for _, p := range []struct {
		at path.Path
		r  scheduling.Resource
		q  tf.Quantity
	}{{path.Root("cpu"), scheduling.CPU, m.CPU}, {path.Root("memory"), scheduling.Memory, m.Memory}, {limits.AtName("cpu"), scheduling.CPU, d.CPU}, {limits.AtName("memory"), scheduling.Memory, d.Memory},
		{limits.AtName("cpu_request"), scheduling.CPU, d.CPURequest}, {limits.AtName("memory_request"), scheduling.Memory, d.MemoryRequest}} {
		if q, ok := p.q.Get(); ok {
			if _, exact := scheduling.QuantityAmount(p.r, q); !exact {
				out = append(out, composite.Finding{Path: p.at, Summary: "Amount that cannot be had", Detail: fmt.Sprintf("%s is %s, which is no whole number of %s. Round it.", p.at, p.q.ValueString(),
					map[scheduling.Resource]string{scheduling.CPU: "millicores (1000m are one CPU)", scheduling.Memory: "bytes (did you mean M or Mi in place of m?)"}[p.r])})
			}
		}
	}
	return out
}

// related is the quota itself: it says what is in use.
func related(m Model) []composite.Ref {
	if m.Name.IsUnknown() || m.Namespace.IsUnknown() {
		return nil
	}
	return []composite.Ref{{Kind: core.ResourceQuotaKind, Namespace: m.Namespace.ValueString(), Name: m.Name.ValueString()}}
}

// survey finds caps below what is in use: that is allowed, and evicts nothing.
func survey(m Model, found composite.Live) []composite.Finding {
	quota, ok := composite.As[core.ResourceQuota](found, core.ResourceQuotaKind, m.Name.ValueString())
	if !ok {
		return nil
	}
	var out []composite.Finding
	caps := hard(m)
	for _, key := range slices.Sorted(maps.Keys(caps)) {
		wanted, _ := parsed(caps[key])
		if used, ok := parsed(quota.Status.Used[key]); ok && used.Cmp(wanted) > 0 {
			out = append(out, composite.Finding{Path: attribute(core.ResourceQuotaKind.Kind, "spec.hard["+key+"]"), Warning: true, Summary: "Cap below what is in use", Detail: fmt.Sprintf(
				"The cap of %s is %s, and pods of namespace %s have %s now. Nothing is evicted; new pods are refused until less than the cap is in use.", key, wanted.String(), m.Namespace.ValueString(), used.String())})
		}
	}
	return out
}
