package ownership

import (
	"encoding/json"
	"maps"
	"math"
	"math/big"
	"reflect"
	"slices"
)

// plain gives v the shapes that JSON decoding gives: map[string]any, []any, string, bool, int64, float64, nil. What it
// does not know stays as it is. Maps and lists are copied.
func plain(v any) any {
	switch t := v.(type) {
	case nil, string, bool, int64, float64:
		return v
	case map[string]any:
		out := make(map[string]any, len(t))
		for k, e := range t {
			out[k] = plain(e)
		}
		return out
	case []any:
		out := make([]any, len(t))
		for i, e := range t {
			out[i] = plain(e)
		}
		return out
	case json.Number:
		if i, err := t.Int64(); err == nil {
			return i
		}
		if f, err := t.Float64(); err == nil {
			return f
		}
		return t.String()
	}
	return plainByKind(v)
}

func plainByKind(v any) any {
	r := reflect.ValueOf(v)
	switch r.Kind() {
	case reflect.String:
		return r.String()
	case reflect.Bool:
		return r.Bool()
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return r.Int()
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		if u := r.Uint(); u <= math.MaxInt64 {
			return int64(u)
		}
		return float64(r.Uint())
	case reflect.Float32, reflect.Float64:
		return r.Float()
	case reflect.Slice, reflect.Array:
		out := make([]any, r.Len())
		for i := range out {
			out[i] = plain(r.Index(i).Interface())
		}
		return out
	case reflect.Map:
		if r.Type().Key().Kind() != reflect.String {
			return v
		}
		out := make(map[string]any, r.Len())
		for _, k := range r.MapKeys() {
			out[k.String()] = plain(r.MapIndex(k).Interface())
		}
		return out
	}
	return v
}

func plainMap(m map[string]any) map[string]any {
	out := make(map[string]any, len(m))
	for k, v := range m {
		out[k] = plain(v)
	}
	return out
}

// sameScalar compares exactly, but a whole number is itself in either spelling.
func sameScalar(a, b any) bool {
	switch x := a.(type) {
	case int64:
		switch y := b.(type) {
		case int64:
			return x == y
		case float64:
			return sameNumber(x, y)
		}
		return false
	case float64:
		switch y := b.(type) {
		case float64:
			return x == y || math.IsNaN(x) && math.IsNaN(y)
		case int64:
			return sameNumber(y, x)
		}
		return false
	}
	return reflect.DeepEqual(a, b)
}

// sameNumber goes by big numbers since int64 to float64 loses digits.
func sameNumber(i int64, f float64) bool {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return false
	}
	return new(big.Float).SetInt64(i).Cmp(big.NewFloat(f)) == 0
}

func sortedKeys(m map[string]any) []string {
	return slices.Sorted(maps.Keys(m))
}
