package schematest

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// Subset returns where our definition says anything else than theirs. A subset may leave out versions, columns and
// properties; whatever it has must be the same, so that an API server with ours treats an object that needs no more
// as one with theirs: same types, defaults, limits, required fields and merging of lists. Rules about a property that ours
// leaves out are left out, too: an API server would not take them.
func Subset(ours, theirs *apiextensions.CustomResourceDefinition) []string {
	d := differences{}
	d.same("group", ours.Spec.Group, theirs.Spec.Group)
	d.same("names", ours.Spec.Names, theirs.Spec.Names)
	d.same("scope", ours.Spec.Scope, theirs.Spec.Scope)
	for label, value := range ours.Labels {
		d.same("label "+label, value, theirs.Labels[label])
	}
	for i := range ours.Spec.Versions {
		v := &ours.Spec.Versions[i]
		at := slices.IndexFunc(theirs.Spec.Versions, func(w apiextensions.CustomResourceDefinitionVersion) bool { return w.Name == v.Name })
		if at < 0 {
			d.say("version "+v.Name, "the original does not have it")
			continue
		}
		d.version(v, &theirs.Spec.Versions[at])
	}
	slices.Sort(d.found)
	return d.found
}

type differences struct{ found []string }

func (d *differences) say(path, format string, args ...any) {
	if path == "" {
		path = "(root)"
	}
	d.found = append(d.found, path+": "+fmt.Sprintf(format, args...))
}

// same compares as JSON, so that nil and empty are one.
func (d *differences) same(path string, ours, theirs any) {
	if a, b := canonical(ours), canonical(theirs); !reflect.DeepEqual(a, b) {
		d.say(path, "ours is %s, the original is %s", text(a), text(b))
	}
}

func (d *differences) version(ours, theirs *apiextensions.CustomResourceDefinitionVersion) {
	at := "version " + ours.Name
	d.same(at+" served", ours.Served, theirs.Served)
	d.same(at+" storage", ours.Storage, theirs.Storage)
	d.same(at+" subresources", ours.Subresources, theirs.Subresources)
	d.same(at+" selectableFields", ours.SelectableFields, theirs.SelectableFields)
	for _, column := range ours.AdditionalPrinterColumns {
		if !slices.ContainsFunc(theirs.AdditionalPrinterColumns, func(c apiextensions.CustomResourceColumnDefinition) bool {
			return c.Name == column.Name && c.JSONPath == column.JSONPath && c.Type == column.Type
		}) {
			d.say(at+" column "+column.Name, "the original does not have it so")
		}
	}
	d.schema("", ours.Schema.OpenAPIV3Schema, theirs.Schema.OpenAPIV3Schema)
}

func (d *differences) schema(path string, ours, theirs *apiextensions.JSONSchemaProps) {
	applicable := *theirs
	applicable.XValidations = about(ours, theirs)
	a, b := facets(ours), facets(&applicable)
	for _, key := range slices.Sorted(maps.Keys(union(a, b))) {
		if !reflect.DeepEqual(a[key], b[key]) {
			d.say(path, "%s: ours is %s, the original is %s", key, text(a[key]), text(b[key]))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(ours.Properties)) {
		below, mine := join(path, name), ours.Properties[name]
		original, ok := theirs.Properties[name]
		if !ok {
			d.say(below, "the original does not have it")
			continue
		}
		d.schema(below, &mine, &original)
	}
	d.nested(path+"[]", items(ours), items(theirs))
	d.nested(path+"{}", values(ours), values(theirs))
}

// about lists the rules of the original that mention no property that ours leaves out.
func about(ours, theirs *apiextensions.JSONSchemaProps) apiextensions.ValidationRules {
	return slices.DeleteFunc(slices.Clone(theirs.XValidations), func(r apiextensions.ValidationRule) bool {
		for _, m := range mention.FindAllStringSubmatch(r.Rule, -1) {
			_, original := theirs.Properties[m[1]]
			_, has := ours.Properties[m[1]]
			if original && !has {
				return true
			}
		}
		return false
	})
}

// mention is a property of the object that a rule is about.
var mention = regexp.MustCompile(`\b(?:self|oldSelf)\.([A-Za-z]+)`)

func (d *differences) nested(path string, ours, theirs *apiextensions.JSONSchemaProps) {
	switch {
	case ours != nil && theirs != nil:
		d.schema(path, ours, theirs)
	case ours != nil:
		d.say(path, "the original does not have it")
	case theirs != nil:
		d.say(path, "ours lacks it")
	}
}

// facets are the keywords of one schema node without what stands below it and without prose. Where order means
// nothing, it is taken away.
func facets(schema *apiextensions.JSONSchemaProps) map[string]any {
	node := *schema
	node.Properties, node.Items, node.AdditionalProperties, node.Description = nil, nil, nil, ""
	node.Required = slices.Sorted(slices.Values(node.Required))
	node.Enum = slices.SortedFunc(slices.Values(node.Enum), func(a, b apiextensions.JSON) int {
		return strings.Compare(string(a.Raw), string(b.Raw))
	})
	facets, _ := canonical(node).(map[string]any)
	return facets
}

func items(schema *apiextensions.JSONSchemaProps) *apiextensions.JSONSchemaProps {
	if schema.Items == nil {
		return nil
	}
	return schema.Items.Schema
}

func values(schema *apiextensions.JSONSchemaProps) *apiextensions.JSONSchemaProps {
	if schema.AdditionalProperties == nil {
		return nil
	}
	return schema.AdditionalProperties.Schema
}

func canonical(v any) any {
	data, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	var out any
	if err := json.Unmarshal(data, &out); err != nil {
		return err.Error()
	}
	return out
}

func text(v any) string {
	if v == nil {
		return "absent"
	}
	data, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(data)
}

func union(a, b map[string]any) map[string]any {
	all := maps.Clone(a)
	if all == nil {
		all = map[string]any{}
	}
	maps.Copy(all, b)
	return all
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}
