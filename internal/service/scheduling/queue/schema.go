package queue

import (
	"maps"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
	"github.com/k0smos/terraform-provider-k0smos/internal/service/scheduling"
	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

func resourceSchema() schema.Schema {
	attributes := scheduling.ShareAttributes()
	maps.Copy(attributes, map[string]schema.Attribute{
		"name": schema.StringAttribute{Required: true, Validators: []validator.String{tf.DNSLabel(scheduling.LongestQueueName)},
			MarkdownDescription: "Name of the Queue, or of the ClusterQueue and its LocalQueues, as workloads give it. With the name `<project>-<pool>`, KAI also finds it by the labels `project` and `" + scheduling.LabelNodePool + "` of a workload. " +
				"Neither engine can rename a queue: a change replaces it; with `create_before_destroy` the new one is there before the old one goes. For another name on dashboards, change `display_name`."},
		"cluster": composite.ClusterAttribute(true),
		"engine":  scheduling.EngineAttribute(),
		"parent": schema.StringAttribute{Required: true, Validators: []validator.String{tf.DNSSubdomain()},
			MarkdownDescription: "The queue above, `k0smos_department.<name>.parents[\"<pool>\"]`: on KAI a Queue of the same pool, on Kueue a Cohort. It must exist, also in the state of another workspace. A change moves the queue, with the work in it."},
		"pool": schema.SingleNestedAttribute{Required: true, CustomType: tf.ObjectTypeOf[scheduling.PoolRef](), Attributes: scheduling.PoolRefAttributes(),
			MarkdownDescription: "The pool, `k0smos_scheduling_pool.<name>.ref`, or `{ node_pool, resource, capacity }` by hand. Changed in place; work that runs on the other nodes goes on there."},
		"display_name": schema.StringAttribute{Optional: true,
			MarkdownDescription: "Name for people. On KAI it replaces the name in the scheduler's messages and metrics; on Kueue it is the annotation `" + scheduling.AnnotationDisplayName + "`. Unset: none. Changed in place."},
		"priority": schema.Int64Attribute{Optional: true, Validators: []validator.Int64{int64validator.Between(0, 1_000_000)},
			MarkdownDescription: "Priority among the queues of the same parent: a higher one gets what is left over first and is reclaimed last, whatever the weights. KAI only. Unset: `100` on KAI. Changed in place."},
		"preempt_min_runtime": schema.StringAttribute{Optional: true, CustomType: tf.DurationType{}, Validators: []validator.String{scheduling.NotNegativeDuration()},
			MarkdownDescription: "How long work of the queue runs before other work of it with a higher priority can preempt it, a Go duration such as `15m`. KAI only. Unset: that of the parent. Changed in place."},
		"reclaim_min_runtime": schema.StringAttribute{Optional: true, CustomType: tf.DurationType{}, Validators: []validator.String{scheduling.NotNegativeDuration()},
			MarkdownDescription: "How long work of the queue runs before other queues of the same parent can reclaim its GPUs, a Go duration such as `30m`. KAI only. Unset: that of the parent. Changed in place."},
		"namespaces": schema.ListAttribute{Optional: true, CustomType: tf.ListTypeOf[types.String](), ElementType: types.StringType, Validators: []validator.List{listvalidator.UniqueValues(), listvalidator.ValueStringsAre(tf.DNSLabel(63))},
			MarkdownDescription: "Namespaces of the workloads; the order makes no difference. They get the label `" + scheduling.ProjectNamespacePrefix + "<name>` = the parent. On Kueue only these can use the queue, and each gets a LocalQueue. Unset: none; on KAI any namespace can name the queue. Changed in place."},
		"create_namespaces": schema.BoolAttribute{Optional: true,
			MarkdownDescription: "Whether namespaces that are missing are made. Those are removed by the destroy if nothing else is in them by then. Default `true`. Changed in place."},
		"force_destroy": schema.BoolAttribute{Optional: true,
			MarkdownDescription: "Whether the queue is deleted even while work runs in it or other queues are below it. On KAI such work goes on, and pods that come later wait for ever; on Kueue it is evicted. Default `false`: the deletion waits, and says what is in the way. The value in state counts: apply a change before the destroy."},

		"pod_labels": schema.MapAttribute{Computed: true, CustomType: tf.MapTypeOf[types.String](), ElementType: types.StringType,
			MarkdownDescription: "Labels for workloads. On KAI pods also need `schedulerName: " + scheduling.SchedulerKAI + "`."},
	})
	return schema.Schema{
		MarkdownDescription: "One queue under a parent that exists, for teams with a workspace of their own: a leaf of the tree that a `k0smos_department` begins, in one pool.\n\n" +
			"On KAI it is a Queue, on Kueue a ClusterQueue with a LocalQueue in each namespace. The plan looks at the live tree and warns where the parent is missing or of another pool, where quotas of siblings add up to more than the parent has, or where the queue would come to be its own ancestor; the apply refuses what would stop the scheduler.",
		Attributes: attributes,
	}
}
