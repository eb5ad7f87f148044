package kube

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// eventCount is how many events a message has room for.
const eventCount = 5

// Events are the last events about an object, newest first, as "Warning FailedMount: no such volume (3 times)".
func (c *Cluster) Events(ctx context.Context, key Key) ([]string, error) {
	if _, err := key.path(); err != nil {
		return nil, c.place(err)
	}
	namespace := cmp.Or(key.Namespace, "default") // where events of cluster-scoped objects go
	selector := "involvedObject.kind=" + escapeSelector(key.Kind.Kind) + ",involvedObject.name=" + escapeSelector(key.Name)
	kind := Kind{Version: "v1", Kind: "Event", Resource: "events", Namespaced: true}
	items, _, err := c.list(ctx, kind, namespace, listOptions{query: url.Values{"fieldSelector": {selector}}})
	if err != nil {
		return nil, err
	}
	items = slices.DeleteFunc(items, func(e unstructured.Unstructured) bool {
		version := text(e, "involvedObject", "apiVersion") // two groups may have kinds of the same name
		group, _, ok := strings.Cut(version, "/")
		if !ok {
			group = ""
		}
		return version != "" && group != key.Kind.Group
	})
	slices.SortStableFunc(items, func(a, b unstructured.Unstructured) int { return lastSeen(b).Compare(lastSeen(a)) })
	var lines []string
	for _, e := range items[:min(len(items), eventCount)] {
		lines = append(lines, eventLine(e))
	}
	return lines, nil
}

func eventLine(e unstructured.Unstructured) string {
	line := fmt.Sprintf("%s %s: %s", cmp.Or(text(e, "type"), "Normal"), text(e, "reason"), strings.TrimSpace(text(e, "message")))
	count, _, _ := unstructured.NestedInt64(e.Object, "count")
	series, _, _ := unstructured.NestedInt64(e.Object, "series", "count")
	if count = max(count, series); count > 1 {
		line += fmt.Sprintf(" (%d times)", count)
	}
	return line
}

// lastSeen is the newest of the times that an event has; which of them are set depends on who wrote it.
func lastSeen(e unstructured.Unstructured) time.Time {
	var last time.Time
	for _, path := range [][]string{{"metadata", "creationTimestamp"}, {"eventTime"}, {"lastTimestamp"}, {"series", "lastObservedTime"}} {
		if at, err := time.Parse(time.RFC3339, text(e, path...)); err == nil && at.After(last) {
			last = at
		}
	}
	return last
}

func text(o unstructured.Unstructured, path ...string) string {
	s, _, _ := unstructured.NestedString(o.Object, path...)
	return s
}
