package tf

import (
	"reflect"
	"strings"
	"testing"
)

func TestEverySharedTextIsThereAndIsASentence(t *testing.T) {
	v := reflect.ValueOf(Text)
	for i := range v.NumField() {
		name, text := v.Type().Field(i).Name, v.Field(i).String()
		if text == "" || !strings.HasSuffix(text, ".") || strings.Contains(text, "  ") {
			t.Errorf("%s: %q", name, text)
		}
	}
	if got := Default(Text.CreateNamespace, true); !strings.HasSuffix(got, ". Default `true`.") {
		t.Errorf("got %q", got)
	}
	if got := Timeout("create", "20m"); !strings.Contains(got, "20m") {
		t.Errorf("got %q", got)
	}
}
