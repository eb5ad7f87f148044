package main

import (
	"encoding/base64"
	"fmt"
	"io"
	"sort"
	"strings"
	"text/tabwriter"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// key names an object within its cluster, without its version.
func (o object) key() string {
	return strings.Join([]string{o.kind(), o.GetNamespace(), o.GetName()}, " ")
}

func (o object) kind() string {
	if group := o.GroupVersionKind().Group; group != "" {
		return o.GetKind() + "." + group
	}
	return o.GetKind()
}

func (o object) path() string {
	if o.GetNamespace() == "" {
		return o.GetName()
	}
	return o.GetNamespace() + "/" + o.GetName()
}

func (o object) owned() bool { return o.GetLabels()[ownedLabel] == ownedValue }

// state is what the object says of itself, in a word or two.
func (o object) state() string {
	if phase, found, err := unstructured.NestedString(o.Object, "status", "phase"); found && err == nil {
		return phase
	}
	conditions, _, err := unstructured.NestedSlice(o.Object, "status", "conditions")
	if err != nil {
		return ""
	}
	for _, item := range conditions {
		condition, is := item.(map[string]any)
		if !is {
			continue
		}
		switch name := condition["type"]; name {
		case "Available", "Ready", "Established":
			if condition["status"] == "True" {
				return fmt.Sprint(name)
			}
			return fmt.Sprintf("not %v: %v", name, condition["reason"])
		}
	}
	return ""
}

func secretValue(o object, key string) []byte {
	encoded, found, err := unstructured.NestedString(o.Object, "data", key)
	if err != nil || !found {
		return nil
	}
	value, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return nil
	}
	return value
}

// printCluster prints the objects of the provider, then how many others controllers made beside them.
func printCluster(out io.Writer, c cluster, objects []object) {
	fmt.Fprintf(out, "\n%s (%s)\n", c.name, c.config.Host)
	table := tabwriter.NewWriter(out, 0, 0, 3, ' ', 0)
	namespaces := map[string]bool{}
	for _, o := range objects {
		if o.owned() {
			namespaces[o.GetNamespace()] = o.GetNamespace() != ""
			fmt.Fprintf(table, "  %s\t%s\t%s\n", o.kind(), o.path(), o.state())
		}
	}
	_ = table.Flush()

	others := map[string]int{}
	for _, o := range objects {
		if !o.owned() && namespaces[o.GetNamespace()] && !everywhere(o) {
			others[o.kind()]++
		}
	}
	if len(others) > 0 {
		fmt.Fprintf(out, "  and, made from these by the controllers: %s\n", counted(others))
	}
}

// everywhere tells what Kubernetes puts into every namespace.
func everywhere(o object) bool {
	return o.GetKind() == "ConfigMap" && o.GetName() == "kube-root-ca.crt" || o.GetKind() == "ServiceAccount" && o.GetName() == "default"
}

func counted(kinds map[string]int) string {
	var words []string
	for kind, n := range kinds {
		words = append(words, fmt.Sprintf("%d %s", n, kind))
	}
	sort.Strings(words)
	return strings.Join(words, ", ")
}
