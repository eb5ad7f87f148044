package main

import (
	"fmt"
	"strings"
)

const mebi = 1 << 20

// budget is one promise and how it was kept.
type budget struct {
	what, allowed, measured string
	kept                    bool
	timed                   bool // the result depends on what else the machine does
}

func (r *report) budget(what string, measured, allowed float64, format string) {
	r.budgets = append(r.budgets, budget{what: what, allowed: fmt.Sprintf(format, allowed), measured: fmt.Sprintf(format, measured), kept: measured <= allowed})
}

// timing is a budget whose figure is a time, or a ratio of times.
func (r *report) timing(what string, measured, allowed float64, format string) {
	r.budget(what, measured, allowed, format)
	r.budgets[len(r.budgets)-1].timed = true
}

// ownWork is what a step may take of the provider itself, in milliseconds of CPU per object. Unlike the time of a run, it does
// not depend on how many cores the API server takes for itself.
var ownWork = map[string]float64{"apply": 18, "no-op plan": 12, "destroy": 20}

// judge compares the figures with what was promised.
func (r *report) judge() {
	r.timing("start to the first answer, ms", float64(r.start.firstCall.Microseconds())/1000, 100, "%.0f")
	r.budget("memory when idle, MiB", float64(r.start.idle)/mebi, 40, "%.0f")
	r.budget("stripped binary, MiB", float64(r.start.binary)/mebi, 45, "%.1f")
	for _, m := range r.measured {
		n := float64(m.objects)
		for _, s := range m.steps {
			switch s.name {
			case "no-op plan":
				r.budget(fmt.Sprintf("requests to refresh %d unchanged objects", m.objects), float64(s.ours.total()), 3+n/500, "%.0f")
			case "apply":
				r.budget(fmt.Sprintf("requests per new object beyond dry runs, %d", m.objects), float64(s.ours.total()-s.ours.requests["dry run"])/n, 2, "%.2f")
			}
		}
	}
	first := r.first()
	for _, s := range first.steps {
		r.timing(fmt.Sprintf("provider CPU per object, %s of %d, ms", s.name, first.objects), s.ours.provider.Seconds()*1000/float64(first.objects), ownWork[s.name], "%.1f")
	}
	for _, m := range r.measured {
		if m.remote != first.remote {
			continue // small numbers in a file, for comparison with what was measured of others
		}
		for _, s := range m.steps {
			if s.reference.wall > 0 {
				r.timing(fmt.Sprintf("%s of %d, times terraform_data", s.name, m.objects), ratio(s.ours.wall, s.reference.wall), 1.5, "%.2f")
			}
		}
	}
	r.budget(fmt.Sprintf("peak memory of the provider with %d objects, MiB", first.objects), float64(first.peak())/mebi, 200, "%.0f")
	for _, m := range r.larger() {
		linear := 1.1 * float64(m.objects) / float64(first.objects)
		for i, s := range m.steps {
			r.timing(fmt.Sprintf("provider CPU, %s of %d, times that of %d", s.name, m.objects, first.objects), ratio(s.ours.provider, first.steps[i].ours.provider), linear, "%.2f")
		}
	}
}

// first is what larger numbers of objects are compared with.
func (r *report) first() measurement {
	for _, m := range r.measured {
		if m.remote {
			return m
		}
	}
	return r.measured[0]
}

// larger are the measurements with more objects than the first.
func (r *report) larger() []measurement {
	var out []measurement
	for _, m := range r.measured {
		if m.objects > r.first().objects {
			out = append(out, m)
		}
	}
	return out
}

func (f figures) total() int {
	n := 0
	for _, count := range f.requests {
		n += count
	}
	return n
}

func (m measurement) peak() (most int64) {
	for _, s := range m.steps {
		most = max(most, s.ours.peak)
	}
	return most
}

// missed counts the budgets that were missed, and those of them that no busy machine excuses.
func (r *report) missed() (all, firm int) {
	for _, b := range r.budgets {
		if !b.kept {
			all++
			if !b.timed {
				firm++
			}
		}
	}
	return all, firm
}

func (b budget) verdict() string {
	if b.kept {
		return "PASS"
	}
	return "MISS"
}

// byVerb lists requests in the order in which they happen.
func (f figures) byVerb() string {
	var parts []string
	for _, verb := range []string{"GET", "LIST", "dry run", "APPLY", "POST", "PATCH", "PUT", "DELETE", "WATCH"} {
		if n := f.requests[verb]; n > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", verb, n))
		}
	}
	return strings.Join(parts, ", ")
}
