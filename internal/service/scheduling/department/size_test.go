package department

import (
	"fmt"
	"strings"
	"testing"

	"github.com/k0smos/terraform-provider-k0smos/internal/composite/compositetest"
)

// A policy for a thousand projects stays within what CEL reads, and every check and composition goes over them once.
func TestAThousandProjectsAreOneDepartment(t *testing.T) {
	var projects []string
	for i := range 1000 {
		projects = append(projects, fmt.Sprintf("project-%04d: {namespaces: [project-%04d], enforce_namespaces: true, pools: {quebec-a100: {gpu: {quota: 0.016}}}}", i, i))
	}
	m := compositetest.Model(t, Kind, with("kai", poolWith(sixteen), strings.Join(projects, ", ")))
	if all := found(m); len(all) > 0 {
		t.Errorf("it is complained about: %s", all[0])
	}
	objects := compositetest.Compose(t, Kind, m)
	if len(objects) != 1003 {
		t.Errorf("it has %d objects", len(objects))
	}
	policy := objects[1001].Content
	spec, _ := policy["spec"].(map[string]any)
	variables, _ := spec["variables"].([]any)
	for _, v := range variables {
		if v, _ := v.(map[string]any); len(fmt.Sprint(v["expression"])) > longestExpression+100 {
			t.Errorf("variable %v has %d characters", v["name"], len(fmt.Sprint(v["expression"])))
		}
	}
	if read := decompose(compositetest.Live(t, objects), m); len(compositetest.Changed(t, Kind, m, read)) > 0 {
		t.Error("reading it changes it")
	}
}
