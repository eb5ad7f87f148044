package scheduling

import (
	"fmt"
	"slices"
)

// LongestQueueName: workloads name their queue in the value of a label.
const LongestQueueName = 63

// reserved are names of queues that mean something to KAI: a parent that it makes up, and what its chart brings.
var reserved = []string{"default", "default-queue", "default-parent-queue"}

// RootCohort is the parent of the Cohorts of departments. There is no such object: Kueue takes a missing parent as one without
// limits, so that departments lend each other what is idle.
const RootCohort = "k0smos"

// QueueName is the name of the queue of a project or department in a pool. KAI finds it from the labels project and
// kai.scheduler/node-pool of a workload that names no queue.
func QueueName(project, nodePool string) string {
	if nodePool == "" {
		return project
	}
	return project + "-" + nodePool
}

// WrongQueueName says what is wrong with the name of a queue of an engine; nothing is "".
func WrongQueueName(engine, name string) string {
	switch {
	case engine != EngineKueue && slices.Contains(reserved, name):
		return fmt.Sprintf("the name %q is reserved: KAI uses it itself", name)
	case len(name) > LongestQueueName:
		return fmt.Sprintf("the name %q has %d characters; workloads name their queue in a label, which takes at most %d", name, len(name), LongestQueueName)
	}
	return ""
}
