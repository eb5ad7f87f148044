// Package workload has the functions that workloads are written with.
package workload

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/k0smos/terraform-provider-k0smos/internal/service/scheduling"
	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

// Placement is what a workload needs to be scheduled in a queue.
type Placement struct {
	Queue        types.String         `tfsdk:"queue"`
	Labels       tf.Map[types.String] `tfsdk:"labels"`
	Annotations  tf.Map[types.String] `tfsdk:"annotations"`
	NodeSelector tf.Map[types.String] `tfsdk:"node_selector"`
	Scheduler    types.String         `tfsdk:"scheduler_name"`
}

// NewQueueLabels is the function queue_labels.
func NewQueueLabels() function.Function { return &queueLabels{} }

type queueLabels struct{}

// Metadata names the function.
func (*queueLabels) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "queue_labels"
}

// Definition says what it takes and returns.
func (*queueLabels) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary: "What a workload carries to be scheduled in a project's queue",
		MarkdownDescription: "Returns an object to paste on workloads: `labels` for the workload and its pod template, `annotations` and `scheduler_name` for the pod template, `node_selector` where one picks the pool, and the name of the `queue`.\n\n" +
			"On KAI a pod names its queue, its pool and the scheduler; without the label of the pool no scheduler sees it. On Kueue the workload names the LocalQueue of its namespace, and the node selector picks the pool: leave it out and Kueue takes any pool that the project has. " +
			"A share of a GPU takes the place of `nvidia.com/gpu` in the resources of the container, and is possible on KAI only.",
		Parameters: []function.Parameter{
			function.DynamicParameter{Name: "pool", MarkdownDescription: "The scheduling pool, `k0smos_scheduling_pool.<name>.ref`; by hand, an object with `engine` and `node_pool`.", AllowUnknownValues: true},
			function.StringParameter{Name: "project", MarkdownDescription: "Name of the project."},
		},
		VariadicParameter: function.DynamicParameter{Name: "options", AllowNullValue: true, AllowUnknownValues: true,
			MarkdownDescription: "At most one object, every attribute of which may be left out: `queue`, the name of the queue where it does not follow from project and pool (a `k0smos_queue`), " +
				"`gpu_fraction`, a share of one GPU above 0 and below 1, `gpu_memory`, the same as an amount of its memory (a quantity, whole Mi), `gpu_devices`, on how many GPUs that is (default `1`), " +
				"`priority`, the name of a priority class (KAI brings `train`, `build-preemptible`, `build` and `inference`; on Kueue a WorkloadPriorityClass), `preemptible`, whether the work may be preempted, whatever its priority (KAI only)."},
		Return: function.ObjectReturn{CustomType: tf.ObjectTypeOf[Placement]()},
	}
}

// Run makes the labels.
func (*queueLabels) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var pool types.Dynamic
	var project string
	var options []types.Dynamic
	if resp.Error = req.Arguments.Get(ctx, &pool, &project, &options); resp.Error != nil {
		return
	}
	if len(options) > 1 {
		resp.Error = function.NewArgumentFuncError(3, "There is one object of options at most. Put them together into one.")
		return
	}
	plain, err := poolOf(ctx, pool)
	if err != nil {
		resp.Error = function.NewArgumentFuncError(0, err.Error()+".")
		return
	}
	said, known := map[string]any{}, plain != nil
	if len(options) == 1 {
		value, all, err := tf.Plain(ctx, options[0])
		if err != nil {
			resp.Error = function.NewArgumentFuncError(2, fmt.Sprintf("The options cannot be read: %s.", err))
			return
		}
		var ok bool
		if said, ok = value.(map[string]any); !ok && all && value != nil {
			resp.Error = function.NewArgumentFuncError(2, "options must be an object, for example { gpu_fraction = 0.5 }.")
			return
		}
		known = known && all
	}
	if !known {
		resp.Error = resp.Result.Set(ctx, tf.UnknownObject[Placement]())
		return
	}
	out, argument, err := placed(plain, project, &tf.Reader{Said: said})
	if err != nil {
		resp.Error = function.NewArgumentFuncError(argument, err.Error()+".")
		return
	}
	resp.Error = resp.Result.Set(ctx, tf.ObjectOf(out))
}

// poolOf reads engine and node pool. The capacity of a pool is often not known yet, and makes no difference.
func poolOf(ctx context.Context, pool types.Dynamic) (map[string]any, error) {
	const form = "pool must be a scheduling pool, k0smos_scheduling_pool.<name>.ref, or an object such as { engine = \"kai\", node_pool = \"quebec-a100\" }"
	if pool.IsUnknown() || pool.IsUnderlyingValueUnknown() {
		return nil, nil
	}
	object, ok := pool.UnderlyingValue().(types.Object)
	if !ok {
		plain, known, err := tf.Plain(ctx, pool)
		m, isMap := plain.(map[string]any)
		if err == nil && !known {
			return nil, nil
		}
		if err != nil || !isMap {
			return nil, errors.New(form)
		}
		return m, nil
	}
	out := map[string]any{}
	for _, name := range []string{"engine", "node_pool"} {
		v, has := object.Attributes()[name]
		if !has || v.IsNull() {
			return nil, fmt.Errorf("%s; it has no %s", form, name)
		}
		if v.IsUnknown() {
			return nil, nil
		}
		plain, _, err := tf.Plain(ctx, v)
		if err != nil {
			return nil, err
		}
		out[name] = plain
	}
	return out, nil
}

func placed(pool map[string]any, project string, options *tf.Reader) (out Placement, argument int64, err error) {
	engine, _ := pool["engine"].(string)
	nodePool, _ := pool["node_pool"].(string)
	if engine != scheduling.EngineKAI && engine != scheduling.EngineKueue {
		return out, 0, fmt.Errorf("engine of the pool is %q; it must be kai or kueue", engine)
	}
	if len(validation.IsDNS1123Label(nodePool)) > 0 {
		return out, 0, fmt.Errorf("node_pool of the pool is %q, which is no value of the node label %s", nodePool, scheduling.LabelNodePool)
	}
	queue := scheduling.QueueName(project, nodePool)
	if engine == scheduling.EngineKueue {
		queue = project
	}
	if q := options.Text("queue"); !q.IsNull() {
		queue = q.ValueString()
	} else if len(validation.IsDNS1123Label(project)) > 0 {
		return out, 1, fmt.Errorf("project is %q, which is no name of a project: 1 to 63 lower case letters, digits and hyphens", project)
	}
	if wrong := scheduling.WrongQueueName(engine, queue); wrong != "" || len(validation.IsDNS1123Subdomain(queue)) > 0 {
		if wrong == "" {
			wrong = fmt.Sprintf("%q is no name of a queue", queue)
		}
		return out, 2, fmt.Errorf("%s", wrong)
	}
	labels, annotations, selector := scheduling.PodLabels(engine, queue, nodePool), map[string]string{}, map[string]string{}
	if engine == scheduling.EngineKueue {
		selector[scheduling.LabelNodePool] = nodePool
	} else {
		out.Scheduler = types.StringValue(scheduling.SchedulerKAI)
	}
	if err := work(engine, options, labels, annotations); err != nil {
		return out, 2, err
	}
	if err := options.Done("options"); err != nil {
		return out, 2, err
	}
	out.Queue, out.Labels, out.Annotations, out.NodeSelector = types.StringValue(queue), texts(labels), texts(annotations), texts(selector)
	return out, 0, nil
}

// work adds what a workload says of itself.
func work(engine string, options *tf.Reader, labels, annotations map[string]string) error {
	kueue := engine == scheduling.EngineKueue
	if priority := options.Text("priority").ValueString(); priority != "" {
		if len(validation.IsDNS1123Subdomain(priority)) > 0 {
			return fmt.Errorf("priority is %q, which is no name of a priority class", priority)
		}
		labels[map[bool]string{true: scheduling.LabelKueuePriority, false: scheduling.LabelPriorityClass}[kueue]] = priority
	}
	if options.Has("preemptible") {
		if kueue {
			return fmt.Errorf("preemptible is set, and Kueue has no such thing: give work that must stay a WorkloadPriorityClass, and its project the quota that it needs")
		}
		labels[scheduling.LabelPreemptible] = map[bool]string{true: "preemptible", false: "non-preemptible"}[options.Truth("preemptible", true)]
	}
	fraction, memory, devices := options.Fraction("gpu_fraction"), options.Text("gpu_memory"), options.Number("gpu_devices")
	switch {
	case fraction.IsNull() && memory.IsNull() && devices.IsNull():
		return nil
	case kueue:
		return fmt.Errorf("gpu_fraction, gpu_memory and gpu_devices are possible on KAI only: Kueue counts whole devices. On Kueue, share cards by MIG or time slicing of the node pool")
	case !fraction.IsNull() && !memory.IsNull():
		return fmt.Errorf("gpu_fraction and gpu_memory are both set, and a pod asks for one of them. Remove one")
	case fraction.IsNull() && memory.IsNull():
		return fmt.Errorf("gpu_devices says on how many GPUs a share is, and there is none. Set gpu_fraction or gpu_memory; whole GPUs are asked for by the resources of the container")
	case !devices.IsNull() && devices.ValueInt64() < 1:
		return fmt.Errorf("gpu_devices is %d; it must be 1 or more", devices.ValueInt64())
	}
	if f := fraction.ValueFloat64(); !fraction.IsNull() {
		if f <= 0 || f >= 1 {
			return fmt.Errorf("gpu_fraction is %s; it must be above 0 and below 1. Whole GPUs are asked for by the resources of the container", strconv.FormatFloat(f, 'f', -1, 64))
		}
		annotations[scheduling.AnnotationGPUFraction] = strconv.FormatFloat(f, 'f', -1, 64)
	} else {
		mebibytes, err := mebibytesOf(memory.ValueString())
		if err != nil {
			return err
		}
		annotations[scheduling.AnnotationGPUMemory] = strconv.FormatInt(mebibytes, 10)
	}
	if !devices.IsNull() {
		annotations[scheduling.AnnotationGPUDevices] = strconv.FormatInt(devices.ValueInt64(), 10)
	}
	return nil
}

// mebibytesOf: KAI takes a whole number of MiB.
func mebibytesOf(text string) (int64, error) {
	q, err := tf.ParseQuantity(text)
	if err != nil {
		return 0, fmt.Errorf("gpu_memory: %w", err)
	}
	const mebi = 1 << 20
	n := q.Value() / mebi
	if n < 1 || q.Cmp(*resource.NewQuantity(n*mebi, resource.BinarySI)) != 0 {
		return 0, fmt.Errorf("gpu_memory is %q; it must be a whole number of Mi, such as 10Gi or 512Mi", text)
	}
	return n, nil
}

func texts(in map[string]string) tf.Map[types.String] {
	out := map[string]types.String{}
	for k, v := range in {
		out[k] = types.StringValue(v)
	}
	return tf.MapOf(out)
}
