package department

import (
	"github.com/k0smos/terraform-provider-k0smos/internal/api/admission"
	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
	"github.com/k0smos/terraform-provider-k0smos/internal/service/scheduling"
)

// compose returns the queues of the engine, and the policy that keeps namespaces to theirs.
func compose(m Model, _ composite.Facts) ([]composite.Object, error) {
	queues := composeKAI
	if engineOf(m) == scheduling.EngineKueue {
		queues = composeKueue
	}
	out, err := queues(m)
	if err != nil {
		return nil, err
	}
	if rights := entitled(m); rights != nil {
		policy, err := policyOf(m, rights)
		if err != nil {
			return nil, err
		}
		out = append(out, policy...)
	}
	return out, nil
}

// policyName names the policy of a department and its binding.
func policyName(department string) string { return department + ".department.k0smos.io" }

// policyOf returns a rule over every kind that names a queue. Work that is there already may be written as it is, or nobody
// could take a finalizer off it.
func policyOf(m Model, rights *entitlement) ([]composite.Object, error) {
	engine, name := engineOf(m), m.Name.ValueString()
	pairs, together := lists("pairs", rights.pairs)
	queues, ours := lists("queues", rights.queues)
	namespaces, bound := lists("namespaces", rights.namespaces)

	policy := admission.ValidatingAdmissionPolicy{Spec: admission.PolicySpec{
		FailurePolicy: "Fail",
		MatchConstraints: &admission.MatchConstraints{ResourceRules: []admission.ResourceRule{{
			APIGroups: []string{"*"}, APIVersions: []string{"*"}, Operations: []string{"CREATE", "UPDATE"}, Resources: []string{"*"}, Scope: "Namespaced",
		}}},
		MatchConditions: []admission.MatchCondition{{Name: "names-a-queue", Expression: concerned(engine)}},
	}}
	policy.Labels = map[string]string{scheduling.LabelDepartment: name}
	add := func(name, expression string) {
		policy.Spec.Variables = append(policy.Spec.Variables, admission.Variable{Name: name, Expression: expression})
	}
	foreign := "!" + bound("request.namespace") // what is none of the policy's business
	if engine == scheduling.EngineKAI {
		foreign = "!(" + ours("variables.queue") + " || " + bound("request.namespace") + ")"
	} else {
		queues = nil // a label names a LocalQueue of its own namespace, so that a name means nothing in others
	}
	for _, list := range [][]variable{pairs, queues, namespaces} {
		for _, v := range list {
			add(v.name, v.expression)
		}
	}
	add("labels", labels("object"))
	add("labelsBefore", labels("oldObject"))
	add("queue", named(engine, "object", "labels"))
	add("before", named(engine, "oldObject", "labelsBefore"))
	policy.Spec.Validations = []admission.Validation{{
		Expression: `variables.queue == "" || variables.queue == variables.before || ` + foreign + ` || ` +
			together(`(request.namespace + "/" + variables.queue)`),
		MessageExpression: `"namespace " + request.namespace + " may not use queue " + variables.queue + ": department ` + name + ` lists its namespaces and their queues in Terraform (projects, namespaces)"`,
		Reason:            "Forbidden",
	}}
	if engine == scheduling.EngineKAI {
		add("derived", `variables.queue != "" || !("`+scheduling.LabelProject+`" in variables.labels) ? "" : `+derived("labels"))
		add("derivedBefore", derived("labelsBefore"))
		policy.Spec.Validations = append(policy.Spec.Validations, admission.Validation{
			Expression: `variables.derived == "" || variables.derived == variables.derivedBefore || !` + ours("variables.derived") + ` || ` + together(`(request.namespace + "/" + variables.derived)`),
			MessageExpression: `"namespace " + request.namespace + " may not use queue " + variables.derived + ", which its labels project and ` + scheduling.LabelNodePool + ` stand for: department ` + name +
				` lists its namespaces and their queues in Terraform (projects, namespaces)"`,
			Reason: "Forbidden",
		})
	}
	first, err := composite.NewObject(admission.ValidatingAdmissionPolicyKind, "", policyName(name), policy)
	if err != nil {
		return nil, err
	}
	binding := admission.ValidatingAdmissionPolicyBinding{Spec: admission.BindingSpec{PolicyName: policyName(name), ValidationActions: []string{"Deny"}}}
	binding.Labels = map[string]string{scheduling.LabelDepartment: name}
	second, err := composite.NewObject(admission.ValidatingAdmissionPolicyBindingKind, "", policyName(name), binding)
	if err != nil {
		return nil, err
	}
	return []composite.Object{first, second}, nil
}
