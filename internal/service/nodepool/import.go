package nodepool

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-jsontypes/jsontypes"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/k0smos/terraform-provider-k0smos/internal/api/bootstrap"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/clusterapi"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/infrastructure"
	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

// imported reads every attribute and leaves out the defaults, so that what comes in reads like what a person would write. A fleet
// that others made keeps the names of its objects and templates.
func imported(live composite.Live, prior Model) Model {
	deployment, ok := composite.As[clusterapi.MachineDeployment](live, clusterapi.MachineDeploymentKind, "")
	if !ok {
		return prior
	}
	m := prior
	m.Cluster = tf.ObjectOf(composite.ClusterRef{Name: types.StringValue(deployment.Spec.ClusterName), Namespace: prior.Namespace, UID: types.StringNull()})
	m.Namespace = types.StringNull() // it is the cluster's, as a person would leave it
	if prior.Namespace.IsNull() {
		m.Cluster = prior.Cluster
	}
	machines := deployment.Spec.Template.Spec
	if machines.InfrastructureRef.Kind == infrastructure.RemoteMachineTemplateKind.Kind || machines.InfrastructureRef.Kind == "" {
		m.Hosts, m.MachineTemplate = tf.EmptyMap[tf.Object[Host]](), tf.NullObject[MachineTemplate]()
		template, _ := composite.As[infrastructure.RemoteMachineTemplate](live, infrastructure.RemoteMachineTemplateKind, machines.InfrastructureRef.Name)
		m.ProvisionJob = parseJob(template.Spec.Template.Spec.ProvisionJob)
	} else {
		m.Hosts = tf.NullMap[tf.Object[Host]]()
		m.MachineTemplate = tf.ObjectOf(MachineTemplate{APIVersion: types.StringValue(machines.InfrastructureRef.APIGroup + "/v1beta2"), Kind: types.StringValue(machines.InfrastructureRef.Kind), Name: types.StringValue(machines.InfrastructureRef.Name)})
	}
	m = parse(live, m)
	ours := readRecord(deployment.Annotations[recordAnnotation], &m)
	if !ours {
		m.Site = foreignSite(live, m)
	}
	m.found.refused = otherPool(live, m, machines.InfrastructureRef.Name)
	m.Reprovision = parseRebuilds(live, m)
	name := ""
	if machines.Bootstrap.ConfigRef != nil {
		name = machines.Bootstrap.ConfigRef.Name
	}
	worker, _ := composite.As[bootstrap.K0sWorkerConfigTemplate](live, bootstrap.K0sWorkerConfigTemplateKind, name)
	if machines.Version == "" && worker.Spec.Template.Spec.Version != "" {
		m.Version = tf.VersionOf(worker.Spec.Template.Spec.Version)
	}
	m = parseWorker(worker.Spec.Template.Spec, m)
	m = brief(m)
	if !ours {
		m.found.labels = foreignLabels(deployment, worker, m)
	}
	fingerprint := adoptedTemplates
	if ours {
		fingerprint = fingerprintOf(m)
	}
	m.Templates = tf.ObjectOf(Templates{Fingerprint: types.StringValue(fingerprint), Bootstrap: types.StringValue(name), Infrastructure: types.StringValue(machines.InfrastructureRef.Name), Version: types.StringValue(machines.Version)})
	return m
}

// otherPool refuses a fleet whose hosts are pooled under another name than its MachineDeployment's: the name of a pool is both
// here, so an apply would take hosts that are in use out of the pool that the operator cleans them up by.
func otherPool(live composite.Live, m Model, template string) error {
	if m.Hosts.IsNull() {
		return nil
	}
	found, ok := composite.As[infrastructure.RemoteMachineTemplate](live, infrastructure.RemoteMachineTemplateKind, template)
	if pool := found.Spec.Template.Spec.Pool; ok && pool != m.Name.ValueString() {
		return fmt.Errorf("the MachineDeployment is called %s and takes hosts of the pool %q (spec.template.spec.pool of RemoteMachineTemplate %s). "+
			"A node pool has one name for both. Make a node pool of another name with other hosts and move them over one by one, or leave this fleet to who made it", m.Name.ValueString(), pool, template)
	}
	return nil
}

// foreignLabels are the labels of nodes in a fleet that others made, as far as no other attribute gives them.
func foreignLabels(deployment clusterapi.MachineDeployment, worker bootstrap.K0sWorkerConfigTemplate, m Model) map[string]string {
	out := map[string]string{}
	for key, value := range deployment.Spec.Template.ObjectMeta.Labels {
		if synced(key) {
			out[key] = value
		}
	}
	for _, arg := range worker.Spec.Template.Spec.Args {
		list, ok := strings.CutPrefix(shellUnquoted(arg), argLabels)
		if !ok {
			continue
		}
		for pair := range strings.SplitSeq(list, ",") {
			if key, value, ok := strings.Cut(strings.TrimSpace(pair), "="); ok && key != "" {
				out[key] = value
			}
		}
	}
	for key, value := range providedLabels(m, effectiveOf(m)) {
		if out[key] == value {
			delete(out, key)
		}
	}
	return out
}

// foreignSite is what hosts say of a site that nobody declared. Their key is in a Secret that is named like it, by custom.
func foreignSite(live composite.Live, m Model) tf.Object[Site] {
	site := Site{Name: m.Name, Namespace: namespaceOf(m), Region: types.StringNull(), Zone: types.StringNull(), SSH: tf.NullObject[SSH]()}
	for _, host := range composite.All[infrastructure.PooledRemoteMachine](live, infrastructure.PooledRemoteMachineKind) {
		machine := host.Spec.Machine
		if machine.SSHKeyRef == nil {
			continue
		}
		ssh := SSH{User: tf.TextOrNull(machine.User), Port: types.Int64Null(), UseSudo: types.BoolNull(), Secret: types.StringValue(machine.SSHKeyRef.Name)}
		if machine.Port != 0 {
			ssh.Port = types.Int64Value(int64(machine.Port))
		}
		if machine.UseSudo != nil && *machine.UseSudo {
			ssh.UseSudo = types.BoolValue(true)
		}
		site.SSH = tf.ObjectOf(ssh)
		if short, ok := strings.CutSuffix(machine.SSHKeyRef.Name, "-ssh"); ok {
			site.Name = types.StringValue(short)
		}
		break
	}
	return tf.ObjectOf(site)
}

func parseJob(job *infrastructure.ProvisionJob) tf.Object[ProvisionJob] {
	if job == nil {
		return tf.NullObject[ProvisionJob]()
	}
	template, err := json.Marshal(job.JobSpecTemplate)
	if err != nil || job.JobSpecTemplate == nil {
		template = []byte("{}")
	}
	text := func(s, standard string) types.String {
		if s == standard {
			return types.StringNull()
		}
		return tf.TextOrNull(s)
	}
	return tf.ObjectOf(ProvisionJob{SSHCommand: text(job.SSHCommand, "ssh"), SCPCommand: text(job.SCPCommand, "scp"), JobTemplate: jsontypes.NewNormalizedValue(string(template))})
}

func parseRebuilds(live composite.Live, m Model) tf.Map[types.String] {
	e := effectiveOf(m)
	keys := map[string]string{}
	for key := range e.hosts {
		keys[e.objectName(key)] = key
	}
	out := map[string]types.String{}
	for _, host := range composite.All[infrastructure.PooledRemoteMachine](live, infrastructure.PooledRemoteMachineKind) {
		if trigger, ok := host.Annotations[reprovisionAnnotation]; ok && keys[host.Name] != "" {
			out[keys[host.Name]] = types.StringValue(trigger)
		}
	}
	if len(out) == 0 {
		return tf.NullMap[types.String]()
	}
	return tf.MapOf(out)
}

// parseWorker reads how a host becomes a node, without what the provider adds.
func parseWorker(spec bootstrap.K0sWorkerConfigSpec, m Model) Model {
	e := effectiveOf(m)
	m.K0s = tf.NullObject[K0s]()
	if installed := spec.PreInstalledK0s != nil && *spec.PreInstalledK0s; installed || spec.DownloadURL != "" {
		k0s := K0s{DownloadURL: tf.TextOrNull(spec.DownloadURL), PreInstalled: types.BoolNull()}
		if installed {
			k0s.PreInstalled = types.BoolValue(true)
		}
		m.K0s = tf.ObjectOf(k0s)
	}
	pre := spec.PreK0sCommands
	if len(pre) > 0 && strings.HasPrefix(pre[0], addressScript+" ") {
		pre = pre[1:]
	}
	m.PreCommands, m.PostCommands = textList(pre), textList(spec.PostK0sCommands)
	own := map[string]bool{}
	for _, file := range ownFiles(m, e) {
		own[file.Path] = true
	}
	files := map[string]tf.Object[File]{}
	for _, f := range spec.Files {
		if own[f.Path] {
			continue
		}
		file := File{Content: types.StringValue(f.Content), Secret: tf.NullObject[SecretKey](), Permissions: tf.TextOrNull(f.Permissions)}
		if f.Permissions == defaultPermissions {
			file.Permissions = types.StringNull()
		}
		if f.ContentFrom != nil && f.ContentFrom.SecretRef != nil {
			file.Content = types.StringNull()
			file.Secret = tf.ObjectOf(SecretKey{Name: types.StringValue(f.ContentFrom.SecretRef.Name), Key: types.StringValue(f.ContentFrom.SecretRef.Key)})
		}
		files[f.Path] = tf.ObjectOf(file)
	}
	m.Files = tf.NullMap[tf.Object[File]]()
	if len(files) > 0 {
		m.Files = tf.MapOf(files)
	}
	return parseArgs(spec.Args, m)
}

// parseArgs reads taints and arguments. Labels are read from the marks of the objects.
func parseArgs(args []string, m Model) Model {
	var rest []string
	taints := map[string]tf.Object[Taint]{}
	for _, arg := range args {
		switch value, isTaints := strings.CutPrefix(arg, argTaints); {
		case strings.HasPrefix(shellUnquoted(arg), argLabels):
		case isTaints:
			for t := range strings.SplitSeq(value, ",") {
				name, effect, _ := strings.Cut(t, ":")
				key, v, _ := strings.Cut(name, "=")
				taints[key] = tf.ObjectOf(Taint{Value: tf.TextOrNull(v), Effect: tf.TextOrNull(effect)})
			}
		case strings.HasPrefix(arg, argKubelet):
			own := strings.TrimSpace(strings.ReplaceAll(strings.TrimPrefix(arg, argKubelet), addressArg, ""))
			if own != "" {
				rest = append(rest, argKubelet+own)
			}
		default:
			rest = append(rest, shellUnquoted(arg))
		}
	}
	m.WorkerArgs = textList(rest)
	m.Taints = tf.NullMap[tf.Object[Taint]]()
	if len(taints) > 0 {
		m.Taints = tf.MapOf(taints)
	}
	return m
}

func textList(texts []string) tf.List[types.String] {
	if len(texts) == 0 {
		return tf.NullList[types.String]()
	}
	out := make([]types.String, 0, len(texts))
	for _, s := range texts {
		out = append(out, types.StringValue(s))
	}
	return tf.ListOf(out...)
}
