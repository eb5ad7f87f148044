package main

import (
	"maps"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestOnlyRequestsAboutTheObjectsCount(t *testing.T) {
	before := map[string]int{"GET queues.scheduling.run.ai": 5, "LIST configmaps": 1}
	after := map[string]int{
		"GET queues.scheduling.run.ai":             7,
		"APPLY queues.scheduling.run.ai":           10,
		"APPLY queues.scheduling.run.ai (dry run)": 20,
		"GET /apis/scheduling.run.ai/v2":           1,
		"GET namespaces":                           1,
		"LIST configmaps":                          9,
		"PUT leases.coordination.k8s.io":           3,
	}
	want := map[string]int{"GET": 4, "APPLY": 10, "dry run": 20}
	if got := difference(before, after); !maps.Equal(got, want) {
		t.Errorf("counted %v, want %v", got, want)
	}
}

func TestBudgetsAreJudgedByCountsAndRatios(t *testing.T) {
	measured := func(n int, reference, ours, provider time.Duration) measurement {
		f := figures{wall: ours, provider: provider, requests: map[string]int{"APPLY": n, "dry run": 2 * n, "GET": 2}}
		return measurement{objects: n, remote: true, steps: []step{{name: "apply", ours: f, reference: figures{wall: reference}}}}
	}
	r := report{measured: []measurement{measured(1000, 10*time.Second, 14*time.Second, 4*time.Second), measured(5000, 0, 70*time.Second, 40*time.Second)}}
	r.judge()
	verdicts := map[string]string{}
	for _, b := range r.budgets {
		verdicts[b.what] = b.verdict()
	}
	for what, want := range map[string]string{
		"requests per new object beyond dry runs, 1000":   "PASS",
		"apply of 1000, times terraform_data":             "PASS",
		"provider CPU, apply of 5000, times that of 1000": "MISS",
	} {
		if verdicts[what] != want {
			t.Errorf("%s: %q, want %s", what, verdicts[what], want)
		}
	}
	if all, firm := r.missed(); all != 1 || firm != 0 {
		t.Errorf("%d budgets missed, %d of them counts or sizes; want 1 and 0: %v", all, firm, verdicts)
	}
}

func TestBothKindsAreGivenTheSameObjects(t *testing.T) {
	ours, base := configuration(manifests, 100), configuration(reference, 100)
	for _, text := range []string{"if i < 98", `parentQueue = `, `quota = 16000`} {
		if !strings.Contains(ours, text) || !strings.Contains(base, text) {
			t.Errorf("%s is not in both configurations", text)
		}
	}
	if strings.Contains(base, "k0smos") {
		t.Error("the configuration of terraform_data needs the provider")
	}
}

func TestRecordsAreReadOnce(t *testing.T) {
	file := filepath.Join(t.TempDir(), "record")
	for range 2 {
		if err := appendRecord(file, usage{CPU: time.Second, Peak: 10}); err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []int{2, 0} {
		got, err := takeRecords(file)
		if err != nil || len(got) != want {
			t.Errorf("read %v (%v), want %d records", got, err, want)
		}
	}
}
