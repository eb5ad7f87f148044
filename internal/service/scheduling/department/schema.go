package department

import (
	"maps"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
	"github.com/k0smos/terraform-provider-k0smos/internal/service/scheduling"
	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

func resourceSchema() schema.Schema {
	name := tf.DNSLabel(scheduling.LongestQueueName)
	return schema.Schema{
		MarkdownDescription: "A department and its projects: a tree of quotas over one or more pools of GPUs, for the KAI scheduler or for Kueue.\n\n" +
			"On KAI each pool has a tree of its own: a Queue `<department>-<pool>` with a Queue `<project>-<pool>` below it for each project. On Kueue the department is a Cohort, each project a ClusterQueue with every pool as a flavor, and a LocalQueue in each of its namespaces; " +
			"Cohorts of all departments have the parent `" + scheduling.RootCohort + "`, so that departments lend each other what is idle. What the engine cannot express is a warning in the plan.\n\n" +
			"Schedulers check next to nothing of such a tree, and a wrong one stops work without a word. So the plan checks sums, limits, names and capacities, and the apply checks them again against what is in the cluster. " +
			"GPUs are numbers, CPU and memory are Kubernetes quantities; what is left out is unlimited, except GPU quotas: those are 0.",
		Attributes: map[string]schema.Attribute{
			"name": schema.StringAttribute{Required: true, Validators: []validator.String{name},
				MarkdownDescription: "Name of the department, the first part of the names of its queues. Neither engine can rename a queue: a change replaces the department and every queue in it. For another name on dashboards, change `display_name`."},
			"cluster": composite.ClusterAttribute(true),
			"engine":  scheduling.EngineAttribute(),
			"display_name": schema.StringAttribute{Optional: true,
				MarkdownDescription: "Name for people. On KAI it replaces the name in the scheduler's messages and metrics; on Kueue it is the annotation `" + scheduling.AnnotationDisplayName + "`. Unset: none. Changed in place."},
			"priority": schema.Int64Attribute{Optional: true, Validators: []validator.Int64{int64validator.Between(0, 1_000_000)},
				MarkdownDescription: "Priority among departments: a higher one gets what is left over first and is reclaimed last, whatever the weights. KAI only; Kueue has nothing like it. Unset: `100` on KAI. Changed in place."},
			"reclaim_min_runtime": schema.StringAttribute{Optional: true, CustomType: tf.DurationType{}, Validators: []validator.String{notNegative()},
				MarkdownDescription: "How long work of this department runs before other departments can reclaim its GPUs, a Go duration such as `30m`. A project's own does not count towards other departments. KAI only. Unset: that of the scheduling pool. Changed in place."},
			"oversubscribe": scheduling.OversubscribeAttribute(),
			"pools": schema.MapNestedAttribute{Required: true, CustomType: tf.MapTypeOf[tf.Object[Pool]](), Validators: []validator.Map{mapvalidator.SizeBetween(1, 64), mapvalidator.KeysAre(tf.DNSLabel(scheduling.LongestQueueName))},
				MarkdownDescription: "What the department has of each pool. The key is the value of the node label `" + scheduling.LabelNodePool + "`, and the last part of the names of queues. A pool may be added or removed in place.",
				NestedObject:        schema.NestedAttributeObject{CustomType: tf.ObjectTypeOf[Pool](), Attributes: poolAttributes()}},
			"projects": schema.MapNestedAttribute{Optional: true, CustomType: tf.MapTypeOf[tf.Object[Project]](), Validators: []validator.Map{mapvalidator.KeysAre(name)},
				MarkdownDescription: "The teams of the department. The key is the name unless `name` is set. Unset: none, for departments whose queues are `k0smos_queue`s of other workspaces. A project that is removed keeps its queues until their work is done.",
				NestedObject:        schema.NestedAttributeObject{CustomType: tf.ObjectTypeOf[Project](), Attributes: projectAttributes()}},
			"force_destroy": schema.BoolAttribute{Optional: true,
				MarkdownDescription: "Whether queues are deleted even while work runs in them or other queues are below them. On KAI such work goes on, and pods that come later wait for ever; on Kueue it is evicted. Default `false`: the deletion waits, and says what is in the way. The value in state counts: apply a change before the destroy."},

			"parents": schema.MapAttribute{Computed: true, CustomType: tf.MapTypeOf[types.String](), ElementType: types.StringType,
				MarkdownDescription: "Name of the department's own queue by pool, on Kueue its Cohort: the `parent` of a `k0smos_queue`."},
			"queue_names": schema.MapAttribute{Computed: true, CustomType: tf.MapTypeOf[tf.Map[types.String]](), ElementType: types.MapType{ElemType: types.StringType},
				MarkdownDescription: "Name of the queue that workloads name, by project key and pool; on Kueue the LocalQueue in each namespace of the project, the same for all pools."},
			"pod_labels": schema.MapAttribute{Computed: true, CustomType: tf.MapTypeOf[tf.Map[tf.Map[types.String]]](), ElementType: types.MapType{ElemType: types.MapType{ElemType: types.StringType}},
				MarkdownDescription: "Labels for workloads, by project key and pool. On KAI pods also need `schedulerName: " + scheduling.SchedulerKAI + "`; on Kueue a node selector picks the pool, if one is wanted."},
		},
	}
}

func poolAttributes() map[string]schema.Attribute {
	out := scheduling.ShareAttributes()
	maps.Copy(out, map[string]schema.Attribute{
		"scheduling_pool": schema.SingleNestedAttribute{Optional: true, CustomType: tf.ObjectTypeOf[scheduling.PoolRef](),
			MarkdownDescription: "The scheduling pool, `k0smos_scheduling_pool.<name>.ref`. Instead of it, `resource` and `capacity` say the same by hand. Changed in place.", Attributes: scheduling.PoolRefAttributes()},
		"resource": schema.StringAttribute{Optional: true, MarkdownDescription: scheduling.TextResource + " Required without `scheduling_pool`. Changed in place."},
		"capacity": schema.Int64Attribute{Optional: true, Validators: []validator.Int64{int64validator.AtLeast(0)}, MarkdownDescription: scheduling.TextCapacity + " Only without `scheduling_pool`. Changed in place."},
	})
	return out
}

func projectAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"name": schema.StringAttribute{Optional: true, Validators: []validator.String{tf.DNSLabel(scheduling.LongestQueueName)},
			MarkdownDescription: "Name of the project, the first part of the names of its queues. Unset: the key. A change makes new queues first and removes the old ones once their work is done."},
		"display_name": schema.StringAttribute{Optional: true,
			MarkdownDescription: "Name for people, as that of the department. Unset: none. Changed in place."},
		"namespaces": schema.ListAttribute{Optional: true, CustomType: tf.ListTypeOf[types.String](), ElementType: types.StringType, Validators: []validator.List{listvalidator.UniqueValues(), listvalidator.ValueStringsAre(tf.DNSLabel(63))},
			MarkdownDescription: "Namespaces of the project's workloads; the order makes no difference. They get the label `" + scheduling.ProjectNamespacePrefix + "<project>` = the department. On Kueue only these can use the project's queue, and each gets a LocalQueue. Unset: none; on KAI any namespace can name the queue then. Changed in place."},
		"create_namespaces": schema.BoolAttribute{Optional: true,
			MarkdownDescription: "Whether namespaces that are missing are made. Those are removed by the destroy if nothing else is in them by then. Default `true`. Changed in place."},
		"enforce_namespaces": schema.BoolAttribute{Optional: true,
			MarkdownDescription: "Whether the API server refuses workloads that name a queue they have no right to: those in `namespaces` may name the queues of this department that list their namespace, and nothing else, and on KAI no other namespace may name the queues of this project. On Kueue the label names a LocalQueue of the same namespace, and no other namespace gets into the project's queue, whatever this says. " +
				"Made by one ValidatingAdmissionPolicy for the department, over every kind that carries the queue label; it needs `namespaces`. Work that is there already stays. Default `false`. Changed in place."},
		"priority": schema.Int64Attribute{Optional: true, Validators: []validator.Int64{int64validator.Between(0, 1_000_000)},
			MarkdownDescription: "Priority among the projects of the department, as that of departments. KAI only. Unset: `100` on KAI. Changed in place."},
		"preempt_min_runtime": schema.StringAttribute{Optional: true, CustomType: tf.DurationType{}, Validators: []validator.String{notNegative()},
			MarkdownDescription: "How long work of the project runs before other work of the project with a higher priority can preempt it, a Go duration such as `15m`. KAI only. Unset: that of the scheduling pool. Changed in place."},
		"reclaim_min_runtime": schema.StringAttribute{Optional: true, CustomType: tf.DurationType{}, Validators: []validator.String{notNegative()},
			MarkdownDescription: "How long work of the project runs before other projects of the department can reclaim its GPUs, a Go duration such as `30m`. Other departments go by that of the department. KAI only. Unset: that of the department. Changed in place."},
		"pools": schema.MapNestedAttribute{Required: true, CustomType: tf.MapTypeOf[tf.Object[ProjectPool]](), Validators: []validator.Map{mapvalidator.SizeAtLeast(1)},
			MarkdownDescription: "What the project has of each pool, by the keys of the department's `pools`; a pool that is left out cannot be used. Changed in place.",
			NestedObject:        schema.NestedAttributeObject{CustomType: tf.ObjectTypeOf[ProjectPool](), Attributes: scheduling.ShareAttributes()}},
	}
}

func notNegative() validator.String { return scheduling.NotNegativeDuration() }
