package composite

import "testing"

func TestAnIDNamesTheSameObjectInEveryVersionOfItsGroup(t *testing.T) {
	queue := ID{APIVersion: "scheduling.run.ai/v2", Kind: "Queue", Name: "vision"}
	for name, test := range map[string]struct {
		other ID
		same  bool
	}{
		"another version is the same object":   {ID{APIVersion: "scheduling.run.ai/v1", Kind: "Queue", Name: "vision"}, true},
		"another group is another object":      {ID{APIVersion: "other.run.ai/v2", Kind: "Queue", Name: "vision"}, false},
		"the core group is another object":     {ID{APIVersion: "v2", Kind: "Queue", Name: "vision"}, false},
		"another name is another object":       {ID{APIVersion: "scheduling.run.ai/v2", Kind: "Queue", Name: "audio"}, false},
		"another cluster has another object":   {ID{ClusterNamespace: "geo", ClusterName: "train", APIVersion: "scheduling.run.ai/v2", Kind: "Queue", Name: "vision"}, false},
		"another namespace has another object": {ID{APIVersion: "scheduling.run.ai/v2", Kind: "Queue", Namespace: "a", Name: "vision"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := queue.same(test.other); got != test.same {
				t.Errorf("got %t, want %t", got, test.same)
			}
		})
	}
}
