package pool

import (
	"regexp"

	"github.com/hashicorp/terraform-plugin-framework-validators/float64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
	"github.com/k0smos/terraform-provider-k0smos/internal/service/scheduling"
	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

// longestName leaves room for what is put around it: KAI names a Service kai-scheduler-<name>.
const longestName = 49

var placements = []tf.Choice{
	{Value: "binpack", Meaning: "fills nodes one after the other, which keeps whole nodes free for large work"},
	{Value: "spread", Meaning: "takes the emptiest node, which shares network and power; KAI then moves no work to make room for other work"},
}

func resourceSchema() schema.Schema {
	return schema.Schema{
		MarkdownDescription: "A scheduling pool: nodes of one kind that quotas are given of. Departments and queues take it as `k0smos_scheduling_pool.<name>.ref`.\n\n" +
			"On KAI it is a SchedulingShard, which is a scheduler of its own for the nodes, queues and work that carry the pool's label, and a Topology where levels are given. " +
			"Nodes that have the label of a pool without a scheduling pool are seen by no scheduler of KAI at all. On Kueue it is a ResourceFlavor, and a Topology.\n\n" +
			"What Kueue cannot express is a warning in the plan. Creating it waits until KAI's operator has the scheduler running; where KAI or Kueue is not installed yet, or its webhook does not answer, that is tried again until the timeout. " +
			"Destroying it waits while work is queued in the pool (KAI), or quotas are given of it (Kueue), and says where.",
		Attributes: map[string]schema.Attribute{
			"name": schema.StringAttribute{Required: true, Validators: []validator.String{tf.DNSLabel(longestName)},
				MarkdownDescription: "Name of the pool and its objects, at most 49 characters. Workloads name the pool's Topology by it. A change replaces the pool; on Kueue, set the lifecycle argument `create_before_destroy` for that, since a flavor that is in use cannot go."},
			"cluster": composite.ClusterAttribute(true),
			"engine":  scheduling.EngineAttribute(),
			"node_pool": schema.StringAttribute{Required: true, Validators: []validator.String{tf.DNSLabel(63)},
				MarkdownDescription: "Value of the node label `" + scheduling.LabelNodePool + "` that makes the pool, usually `k0smos_node_pool.<name>.scheduler_pool`; on Kueue the flavor selects nodes by it, too. No other scheduling pool of the cluster may have it: two schedulers of KAI would fight over the nodes. A change replaces the pool."},
			"resource": schema.StringAttribute{Optional: true, Validators: []validator.String{extendedResource()},
				MarkdownDescription: scheduling.TextResource + " KAI counts only these, and no MIG profile with a suffix. Left out: a pool without GPUs. Changed in place; departments of the pool judge their quotas anew."},
			"capacity": schema.Int64Attribute{Optional: true, Validators: []validator.Int64{int64validator.AtLeast(0)},
				MarkdownDescription: scheduling.TextCapacity + " Changed in place; disturbs nothing."},
			"placement": schema.SingleNestedAttribute{Optional: true, CustomType: tf.ObjectTypeOf[Placement](),
				MarkdownDescription: "Where work is put. KAI only: Kueue leaves it to the scheduler of Kubernetes. Left out: `binpack` for both. Changed in place; the pool's scheduler restarts, and running work stays where it is.",
				Attributes: map[string]schema.Attribute{
					"gpu": schema.StringAttribute{Optional: true, Validators: []validator.String{tf.OneOf(placements...)}, MarkdownDescription: "Of work with GPUs. " + tf.Choices(placements...)},
					"cpu": schema.StringAttribute{Optional: true, Validators: []validator.String{tf.OneOf(placements...)}, MarkdownDescription: "Of work without GPUs. " + tf.Choices(placements...)},
				}},
			"min_runtime": schema.SingleNestedAttribute{Optional: true, CustomType: tf.ObjectTypeOf[MinRuntime](),
				MarkdownDescription: "How long work runs before it can be taken down, where neither its queue nor a queue above says. KAI only. Left out: not at all. Changed in place; the pool's scheduler restarts.",
				Attributes: map[string]schema.Attribute{
					"preempt": schema.StringAttribute{Optional: true, CustomType: tf.DurationType{}, Validators: []validator.String{scheduling.NotNegativeDuration()}, MarkdownDescription: "Before work of the same queue with a higher priority can take over: a Go duration such as `15m`. Default `0s`."},
					"reclaim": schema.StringAttribute{Optional: true, CustomType: tf.DurationType{}, Validators: []validator.String{scheduling.NotNegativeDuration()}, MarkdownDescription: "Before other queues can take back what is theirs: a Go duration such as `30m`. Default `0s`."},
				}},
			"topology": schema.ListAttribute{Optional: true, CustomType: tf.ListTypeOf[types.String](), ElementType: types.StringType, Validators: []validator.List{listvalidator.SizeBetween(1, 16)},
				MarkdownDescription: "Labels of nodes that say how near to each other they are, the widest first, 1 to 16: `[\"topology.kubernetes.io/zone\", \"kubernetes.io/hostname\"]`. Work can then ask for one level (annotation `kai.scheduler/topology` with the pool's name, or Kueue's `kueue.x-k8s.io/podset-required-topology`). `kubernetes.io/hostname` can only be the last. " +
					"Left out: no Topology. Levels cannot be edited: a change replaces the pool, except that a pool without levels gets them in place, and on KAI loses them in place."},
			"args": schema.MapAttribute{Optional: true, CustomType: tf.MapTypeOf[types.String](), ElementType: types.StringType,
				MarkdownDescription: "Flags of the pool's scheduler, name without dashes to value as text: " + listedFlags() + ". KAI drops flags that it does not know in silence, so that others are an error here; so are those that KAI sets itself. KAI only. Left out: none. Changed in place; the pool's scheduler restarts."},
			"fair_share_history": historyAttribute(),
			"ref":                refAttribute(),
		},
	}
}

func historyAttribute() schema.Attribute {
	return schema.SingleNestedAttribute{Optional: true, CustomType: tf.ObjectTypeOf[History](),
		MarkdownDescription: "Fair shares that go by past use: queues that used much get less of what is left over; quotas stay as they are. Needs Prometheus (`kai_install` with `prometheus` switches it on). KAI only. `{}` takes the defaults; left out: past use does not count. Changed in place; the pool's scheduler restarts.",
		Attributes: map[string]schema.Attribute{
			"prometheus_url": schema.StringAttribute{Optional: true, Validators: []validator.String{stringvalidator.RegexMatches(httpURL, "must be a URL such as http://prometheus.monitoring.svc:9090, without user or password")},
				MarkdownDescription: "Address of a Prometheus that has KAI's metrics. Left out: the one that KAI is installed with."},
			"window": schema.StringAttribute{Optional: true, Validators: []validator.String{stringvalidator.LengthAtLeast(2), stringvalidator.RegexMatches(window, "must be a number of y, w, d, h, m, s or ms, the larger units first, such as 1w or 2d12h")},
				MarkdownDescription: "How far back use counts, such as `1w`, `2d` or `12h`; units are y, w, d, h, m, s and ms. Default `1w`."},
			"window_type": schema.StringAttribute{Optional: true, Validators: []validator.String{tf.OneOf(windowTypes...)}, MarkdownDescription: "How the window moves. " + tf.Choices(windowTypes...)},
			"half_life": schema.StringAttribute{Optional: true, CustomType: tf.DurationType{}, Validators: []validator.String{tf.PositiveDuration()},
				MarkdownDescription: "Time after which use counts half: a Go duration such as `24h`. Left out: it counts in full until it leaves the window."},
			"weight": schema.Float64Attribute{Optional: true, Validators: []validator.Float64{float64validator.Between(0, 1000)},
				MarkdownDescription: "How much past use counts against a queue (KAI's k value), 0 to 1000; 0 is not at all. Default `1`."},
		}}
}

var windowTypes = []tf.Choice{
	{Value: "sliding", Meaning: "it always ends now"},
	{Value: "tumbling", Meaning: "it starts anew when it is over"},
}

var (
	httpURL = regexp.MustCompile(`^https?://[^\s/@?#]+(/[^\s@?#]*)?$`)
	window  = regexp.MustCompile(`^(\d+y)?(\d+w)?(\d+d)?(\d+h)?(\d+m)?(\d+s)?(\d+ms)?$`)
)

func refAttribute() schema.Attribute {
	text := func(text string) schema.StringAttribute {
		return schema.StringAttribute{Computed: true, MarkdownDescription: text}
	}
	return schema.SingleNestedAttribute{Computed: true, CustomType: tf.ObjectTypeOf[scheduling.PoolRef](),
		MarkdownDescription: "The pool as departments and queues want it. Follows from the configuration, so it is known in the plan.",
		Attributes: map[string]schema.Attribute{
			"name":      text("Name of the pool."),
			"engine":    text("Engine of the pool."),
			"node_pool": text("Value of the node label."),
			"resource":  text("What its GPUs are offered as, null where it is not given."),
			"capacity":  schema.Int64Attribute{Computed: true, MarkdownDescription: "How many of them there are, null where it is not given."},
		}}
}

var qualified = regexp.MustCompile(`^[a-z0-9]([a-z0-9.-]*[a-z0-9])?/[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$`)

func extendedResource() validator.String {
	return stringvalidator.RegexMatches(qualified, "must be the name of a device as nodes offer it, such as nvidia.com/gpu, amd.com/gpu or nvidia.com/mig-3g.40gb")
}
