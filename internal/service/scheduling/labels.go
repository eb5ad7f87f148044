package scheduling

// Labels and annotations that the schedulers go by.
const (
	LabelNodePool      = "kai.scheduler/node-pool" // on nodes, Queues and workloads; Kueue's flavors select nodes by it too
	LabelKAIQueue      = "kai.scheduler/queue"
	LabelProject       = "project" // with no queue label, KAI's podgrouper takes <project>-<node pool>
	LabelKueueQueue    = "kueue.x-k8s.io/queue-name"
	LabelPreemptible   = "kai.scheduler/preemptibility"
	LabelPriorityClass = "priorityClassName"
	LabelKueuePriority = "kueue.x-k8s.io/priority-class"

	AnnotationGPUFraction  = "gpu-fraction"
	AnnotationGPUMemory    = "gpu-memory" // MiB of one device
	AnnotationGPUDevices   = "gpu-fraction-num-devices"
	SchedulerKAI           = "kai-scheduler" // schedulerName of pods
	AnnotationDisplayName  = "k0smos.io/display-name"
	LabelDepartment        = "k0smos.io/department"
	LabelProjectOf         = "k0smos.io/project"
	ProjectNamespacePrefix = "project.k0smos.io/" // on namespaces, with the project behind it: one may serve several
)

// PodLabels are the labels that put a workload into a queue. On KAI they name the node pool too, or the scheduler of the pool
// does not see the pod.
func PodLabels(engine, queue, nodePool string) map[string]string {
	if engine == EngineKueue {
		return map[string]string{LabelKueueQueue: queue}
	}
	labels := map[string]string{LabelKAIQueue: queue}
	if nodePool != "" {
		labels[LabelNodePool] = nodePool
	}
	return labels
}

// AnnotationDeclared has what a queue itself does not show of its declaration, as JSON, so that an import finds it.
const AnnotationDeclared = "k0smos.io/declared"

// LabelNamespaceName is a label that every namespace has and that nobody can forge.
const LabelNamespaceName = "kubernetes.io/metadata.name"
