package department

import (
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/k0smos/terraform-provider-k0smos/internal/service/scheduling"
	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

// derive fills the names of queues and the labels for workloads.
func derive(m, _ *Model) {
	m.Parents, m.QueueNames, m.PodLabels = tf.UnknownMap[types.String](), tf.UnknownMap[tf.Map[types.String]](), tf.UnknownMap[tf.Map[tf.Map[types.String]]]()
	engine := engineOf(*m)
	if engine == "" {
		return
	}
	if !m.Pools.IsUnknown() && !m.Name.IsUnknown() {
		parents := map[string]types.String{}
		for _, key := range m.Pools.Keys() {
			parents[key] = types.StringValue(parentName(engine, m.Name.ValueString(), key))
		}
		m.Parents = tf.MapOf(parents)
	}
	if m.Projects.IsUnknown() {
		return
	}
	names, labels := map[string]tf.Map[types.String]{}, map[string]tf.Map[tf.Map[types.String]]{}
	for _, p := range projectsOf(*m) {
		if !p.named || p.Pools.IsUnknown() {
			names[p.key], labels[p.key] = tf.UnknownMap[types.String](), tf.UnknownMap[tf.Map[types.String]]()
			continue
		}
		queues, sets := map[string]types.String{}, map[string]tf.Map[types.String]{}
		for _, key := range p.sortedPools() {
			queue := workloadQueue(engine, p.name, key)
			queues[key] = types.StringValue(queue)
			set := map[string]types.String{}
			for k, v := range scheduling.PodLabels(engine, queue, key) {
				set[k] = types.StringValue(v)
			}
			sets[key] = tf.MapOf(set)
		}
		names[p.key], labels[p.key] = tf.MapOf(queues), tf.MapOf(sets)
	}
	m.QueueNames, m.PodLabels = tf.MapOf(names), tf.MapOf(labels)
}

// parentName is the department's own queue in a pool.
func parentName(engine, department, pool string) string {
	if engine == scheduling.EngineKueue {
		return department
	}
	return scheduling.QueueName(department, pool)
}

// workloadQueue is the queue that workloads of a project name.
func workloadQueue(engine, project, pool string) string {
	if engine == scheduling.EngineKueue {
		return project
	}
	return scheduling.QueueName(project, pool)
}
