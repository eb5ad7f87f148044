package tf

import (
	"errors"
	"fmt"
	"maps"
	"math/big"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
)

// unknown stands for a value that is not known yet, until stripUnknown takes it out.
type unknown struct{}

func wrongForm(form string) error {
	return fmt.Errorf("the manifest is %s. It must be one Kubernetes object, as YAML or JSON text or as an object, %s", form, manifestExample)
}

func formOf(value any) string {
	switch value.(type) {
	case nil:
		return "null"
	case []any:
		return "a list"
	case string:
		return "a single text without any key"
	case bool:
		return "true or false"
	}
	return "a number"
}

// goObject turns an object or map of Terraform's into Go values.
func goObject(value attr.Value) (map[string]any, error) {
	v, err := goValue(value)
	if err != nil {
		return nil, err
	}
	object, ok := v.(map[string]any)
	if !ok {
		return nil, wrongForm(formOf(v))
	}
	return object, nil
}

func goValue(value attr.Value) (any, error) {
	switch {
	case value == nil, value.IsNull():
		return nil, nil
	case value.IsUnknown():
		return unknown{}, nil
	}
	switch v := value.(type) {
	case basetypes.StringValue:
		return v.ValueString(), nil
	case basetypes.BoolValue:
		return v.ValueBool(), nil
	case basetypes.NumberValue:
		return bigNumber(v.ValueBigFloat())
	case basetypes.DynamicValue:
		return goValue(v.UnderlyingValue())
	case basetypes.ObjectValue:
		return goMap(v.Attributes())
	case basetypes.MapValue:
		return goMap(v.Elements())
	case basetypes.TupleValue:
		return goList(v.Elements())
	case basetypes.ListValue:
		return goList(v.Elements())
	case basetypes.SetValue:
		return goList(v.Elements())
	}
	return nil, fmt.Errorf("the manifest holds a value of the type %s, which has no form in JSON", typeOfValue(value))
}

func goMap(elements map[string]attr.Value) (any, error) {
	object := make(map[string]any, len(elements))
	for k, e := range elements {
		v, err := goValue(e)
		if err != nil {
			return nil, err
		}
		object[k] = v
	}
	return object, nil
}

func goList(elements []attr.Value) (any, error) {
	list := make([]any, len(elements))
	for i, e := range elements {
		v, err := goValue(e)
		if err != nil {
			return nil, err
		}
		list[i] = v
	}
	return list, nil
}

func bigNumber(f *big.Float) (any, error) {
	if f == nil {
		return nil, nil
	}
	if i, accuracy := f.Int64(); accuracy == big.Exact {
		return i, nil
	}
	n, _ := f.Float64()
	return number(n)
}

// stripUnknown takes the unknown values out of an object and says whether there were none. A list loses all of its
// elements with the first unknown one, since the places of the others would move.
func stripUnknown(object map[string]any) (known bool) {
	known = true
	maps.DeleteFunc(object, func(_ string, value any) bool {
		switch v := value.(type) {
		case unknown:
			known = false
			return true
		case map[string]any:
			known = stripUnknown(v) && known
		case []any:
			if !listKnown(v) {
				known = false
				return true
			}
		}
		return false
	})
	return known
}

func listKnown(list []any) bool {
	for _, e := range list {
		switch v := e.(type) {
		case unknown:
			return false
		case map[string]any:
			if !stripUnknown(v) {
				return false
			}
		case []any:
			if !listKnown(v) {
				return false
			}
		}
	}
	return true
}

// checkIdentity wants what makes an object one: apiVersion, kind and metadata.name. What is unknown passes.
func checkIdentity(object map[string]any) error {
	for _, key := range []string{"apiVersion", "kind"} {
		if err := wantText(object, key, key); err != nil {
			return err
		}
	}
	kind, _ := object["kind"].(string)
	if _, ok := object["items"].([]any); ok && strings.HasSuffix(kind, "List") {
		return fmt.Errorf("the manifest is a %s of several objects, and one resource manages one object. "+
			"Give each element of items its own instance with for_each", kind)
	}
	switch metadata := object["metadata"].(type) {
	case unknown:
		return nil
	case map[string]any:
		if _, ok := metadata["generateName"]; ok && metadata["name"] == nil {
			return errors.New("the manifest has metadata.generateName and no metadata.name. A resource must know which object is its own, " +
				"so generated names are not supported: set metadata.name, with random_id or a random_pet in it if it must be unique")
		}
		return wantText(metadata, "name", "metadata.name")
	case nil:
		return fmt.Errorf("the manifest has no metadata. It must say at least metadata.name, %s", manifestExample)
	}
	return fmt.Errorf("metadata in the manifest is not an object. It must say at least metadata.name, %s", manifestExample)
}

func wantText(object map[string]any, key, path string) error {
	switch v := object[key].(type) {
	case unknown:
		return nil
	case string:
		if v != "" {
			return nil
		}
		return fmt.Errorf("%s in the manifest is empty. It must be set, %s", path, manifestExample)
	case nil:
		return fmt.Errorf("the manifest has no %s. It must be set, %s", path, manifestExample)
	}
	return fmt.Errorf("%s in the manifest is not text. It must be text (put it in quotes), %s", path, manifestExample)
}
