package department

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/k0smos/terraform-provider-k0smos/internal/service/scheduling"
)

// entitlement says who may use which queue of the department, as the policy knows it.
type entitlement struct {
	pairs      []string // "<namespace>/<queue>" that go together
	queues     []string // that no other namespace may name, on KAI
	namespaces []string // that may name no other queue
}

// entitled collects the rights that projects with enforce_namespaces ask for; nil where none does. The queues of other
// projects count where they list the same namespace.
func entitled(m Model) *entitlement {
	pairs, queues, namespaces := map[string]bool{}, map[string]bool{}, map[string]bool{}
	enforced := false
	for _, p := range projectsOf(m) {
		enforced = enforced || p.enforce
		for _, queue := range p.queues(engineOf(m)) {
			if p.enforce {
				queues[queue] = true
			}
			for _, namespace := range p.namespaces() {
				pairs[namespace+"/"+queue] = true
				if p.enforce {
					namespaces[namespace] = true
				}
			}
		}
	}
	if !enforced {
		return nil
	}
	return &entitlement{pairs: slices.Sorted(maps.Keys(pairs)), queues: slices.Sorted(maps.Keys(queues)), namespaces: slices.Sorted(maps.Keys(namespaces))}
}

// queues are the names by which workloads may name the queues of a project.
func (p project) queues(engine string) []string {
	if engine == scheduling.EngineKueue {
		return []string{p.name}
	}
	var out []string
	for _, key := range p.sortedPools() {
		out = append(out, scheduling.QueueName(p.name, key))
	}
	return out
}

// variable is a named expression of a policy.
type variable struct{ name, expression string }

// longestExpression is well below the 100,000 characters that CEL reads.
const longestExpression = 50_000

// lists spells a list of texts as variables, more than one where it is long, and the expression that tells whether a value is
// in it.
func lists(name string, values []string) (out []variable, contains func(value string) string) {
	var b strings.Builder
	flush := func() {
		out = append(out, variable{name + strconv.Itoa(len(out)+1), "[" + b.String() + "]"})
		b.Reset()
	}
	for _, v := range values {
		text := strconv.Quote(v)
		if b.Len()+len(text) > longestExpression {
			flush()
		}
		if b.Len() > 0 {
			b.WriteString(", ")
		}
		b.WriteString(text)
	}
	if b.Len() > 0 || len(out) == 0 {
		flush()
	}
	return out, func(value string) string {
		parts := make([]string, 0, len(out))
		for _, v := range out {
			parts = append(parts, value+" in variables."+v.name)
		}
		return "(" + strings.Join(parts, " || ") + ")"
	}
}

// labels are those of an object, none where it has none, or where there is no object.
func labels(object string) string {
	return fmt.Sprintf("%s != null && has(%s.metadata.labels) ? %s.metadata.labels : {}", object, object, object)
}

// label reads one of the labels in a variable; "" is none.
func label(variable, key string) string {
	return fmt.Sprintf("(%q in variables.%s ? variables.%s[%q] : \"\")", key, variable, variable, key)
}

// named is the queue that an object names itself: by its label, or in the field of the kinds that stand for work. LocalQueues
// are not judged: those of the department come after the policy, and through one of somebody else nothing is admitted, since
// a ClusterQueue selects its namespaces.
func named(engine, object, labels string) string {
	if engine == scheduling.EngineKueue {
		return fmt.Sprintf(`%s != null && request.kind.kind == "Workload" && has(%s.spec.queueName) ? %s.spec.queueName : %s`,
			object, object, object, label(labels, scheduling.LabelKueueQueue))
	}
	return fmt.Sprintf(`%s != null && request.kind.kind == "PodGroup" && has(%s.spec.queue) ? %s.spec.queue : %s`, object, object, object, label(labels, scheduling.LabelKAIQueue))
}

// derived is the queue that KAI's podgrouper takes for work that names none.
func derived(labels string) string {
	project, pool := label(labels, scheduling.LabelProject), label(labels, scheduling.LabelNodePool)
	return fmt.Sprintf(`%s == "" ? %s : %s + "-" + %s`, pool, project, project, pool)
}

// concerned is what the policy looks at at all: what names a queue. Everything else passes unread.
func concerned(engine string) string {
	label := func(keys ...string) string {
		parts := make([]string, 0, len(keys))
		for _, key := range keys {
			parts = append(parts, fmt.Sprintf("%q in object.metadata.labels", key))
		}
		return "has(object.metadata) && has(object.metadata.labels) && (" + strings.Join(parts, " || ") + ")"
	}
	if engine == scheduling.EngineKueue {
		return `(request.kind.group == "kueue.x-k8s.io" && request.kind.kind == "Workload") || ` + label(scheduling.LabelKueueQueue)
	}
	return `(request.kind.group == "scheduling.run.ai" && request.kind.kind == "PodGroup") || ` + label(scheduling.LabelKAIQueue, scheduling.LabelProject)
}
