package composite

import (
	"strings"
	"testing"
)

func TestAnImportIDIsReadAsItIsWritten(t *testing.T) {
	tests := map[string]struct {
		id      string
		anyKind bool
		want    ID
	}{
		"a name":                                 {"quebec", false, ID{Name: "quebec"}},
		"a name in a namespace":                  {"geo/train", false, ID{Namespace: "geo", Name: "train"}},
		"a name in a hosted cluster":             {"geo/train:quebec", false, ID{ClusterNamespace: "geo", ClusterName: "train", Name: "quebec"}},
		"a namespace in a hosted cluster":        {"geo/train:team/vision", false, ID{ClusterNamespace: "geo", ClusterName: "train", Namespace: "team", Name: "vision"}},
		"a name with a colon":                    {"system:node", false, ID{Name: "system:node"}},
		"a core kind":                            {"v1/Secret:team/key", true, ID{APIVersion: "v1", Kind: "Secret", Namespace: "team", Name: "key"}},
		"a kind of a group":                      {"apps/v1/Deployment:team/web", true, ID{APIVersion: "apps/v1", Kind: "Deployment", Namespace: "team", Name: "web"}},
		"a kind without a namespace":             {"scheduling.run.ai/v2/Queue:vision", true, ID{APIVersion: "scheduling.run.ai/v2", Kind: "Queue", Name: "vision"}},
		"a kind in a hosted cluster":             {"geo/train:scheduling.run.ai/v2/Queue:vision", true, ID{ClusterNamespace: "geo", ClusterName: "train", APIVersion: "scheduling.run.ai/v2", Kind: "Queue", Name: "vision"}},
		"a role whose name has colons":           {"rbac.authorization.k8s.io/v1/ClusterRole:system:controller:job", true, ID{APIVersion: "rbac.authorization.k8s.io/v1", Kind: "ClusterRole", Name: "system:controller:job"}},
		"a role with colons in a hosted cluster": {"geo/train:rbac.authorization.k8s.io/v1/ClusterRole:system:node", true, ID{ClusterNamespace: "geo", ClusterName: "train", APIVersion: "rbac.authorization.k8s.io/v1", Kind: "ClusterRole", Name: "system:node"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := ParseID(test.id, test.anyKind)
			if err != nil || got != test.want || got.String() != test.id {
				t.Errorf("got %+v, %v", got, err)
			}
		})
	}
}

func TestAnUnusableImportIDSaysWhatItShouldBe(t *testing.T) {
	tests := map[string]struct {
		id      string
		anyKind bool
	}{
		"nothing":                       {"", false},
		"no name":                       {"geo/", false},
		"an empty namespace":            {"/train", false},
		"too many parts":                {"a/b/c", false},
		"an empty cluster":              {"/:train", false},
		"a cluster without a namespace": {"/train:quebec", false},
		"no kind":                       {"team/key", true},
		"no kind in a hosted cluster":   {"geo/train:team/key", true},
		"a kind without its version":    {"Secret:team/key", true},
		"a kind in small letters":       {"v1/secret:team/key", true},
		"a kind and no name":            {"v1/Secret:", true},
		"a cluster without a name":      {"train:v1/Secret:key", true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := ParseID(test.id, test.anyKind)
			if err == nil {
				t.Fatalf("it was read as %+v", got)
			}
			if !strings.Contains(err.Error(), "for example") || strings.Contains(err.Error(), "<apiVersion>") != test.anyKind {
				t.Errorf("it says %v", err)
			}
		})
	}
}

func FuzzImportID(f *testing.F) {
	for _, id := range []string{"a", "a/b", "a/b:c", "a/b:v1/Secret:c/d", "v1/Secret:a", ":", "/", "a/b:v1/S:c:d"} {
		f.Add(id, true)
		f.Add(id, false)
	}
	f.Fuzz(func(t *testing.T, s string, anyKind bool) {
		id, err := ParseID(s, anyKind)
		if err != nil {
			return
		}
		if id.String() != s || id.Name == "" || anyKind != (id.Kind != "") {
			t.Errorf("%q was read as %+v", s, id)
		}
	})
}
