package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// columns are the labels by which nodes are told apart, under the name that they are printed under.
var columns = []struct{ name, label string }{
	{"SITE", "k0smos.io/site"},
	{"HOST", "node.cluster.x-k8s.io/k0smos-host"},
	{"REGION", "topology.kubernetes.io/region"},
	{"ZONE", "topology.kubernetes.io/zone"},
	{"GPU", "k0smos.io/gpu-model"},
	{"SCHEDULER POOL", "kai.scheduler/node-pool"},
}

// printNodes prints the nodes of a cluster with the labels that the pools gave them, and their taints.
func printNodes(out io.Writer, objects []object) {
	table := tabwriter.NewWriter(out, 0, 0, 3, ' ', 0)
	some := false
	for _, o := range objects {
		if o.kind() != "Node" {
			continue
		}
		if !some {
			fmt.Fprint(table, "\n  NODE\tSTATE")
			for _, c := range columns {
				fmt.Fprint(table, "\t", c.name)
			}
			fmt.Fprintln(table, "\tTAINTS")
			some = true
		}
		fmt.Fprintf(table, "  %s\t%s", o.GetName(), o.state())
		for _, c := range columns {
			fmt.Fprint(table, "\t", orDash(o.GetLabels()[c.label]))
		}
		fmt.Fprintf(table, "\t%s\n", orDash(strings.Join(taints(o), ", ")))
	}
	_ = table.Flush()
}

func orDash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

// taints are written as kubectl does.
func taints(o object) []string {
	list, _, err := unstructured.NestedSlice(o.Object, "spec", "taints")
	if err != nil {
		return nil
	}
	var out []string
	for _, item := range list {
		taint, is := item.(map[string]any)
		if !is {
			continue
		}
		text := fmt.Sprint(taint["key"])
		if value, given := taint["value"].(string); given && value != "" {
			text += "=" + value
		}
		out = append(out, fmt.Sprintf("%s:%v", text, taint["effect"]))
	}
	return out
}
