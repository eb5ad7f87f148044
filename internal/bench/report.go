package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"text/tabwriter"
	"time"
)

// report is everything that was measured.
type report struct {
	options options
	date    time.Time
	machine machine
	start   startFigures
	sizes   []measurement
	budgets []budget
}

func ratio(a, b time.Duration) float64 {
	if b == 0 {
		return 0
	}
	return float64(a) / float64(b)
}

// table is rows of cells; the first row is the heading.
type table [][]string

// steps is the table of what was run.
func (r *report) steps() table {
	out := table{{"Objects", "Step", "terraform_data, s", "k0smos_manifest, s", "Ratio", "CPU terraform_data, s", "CPU of the CLI, s", "CPU of the provider, s", "Peak of the provider, MiB", "Requests"}}
	for _, m := range r.sizes {
		for _, s := range m.steps {
			out = append(out, []string{
				fmt.Sprint(m.objects), s.name, seconds(s.reference.wall), seconds(s.ours.wall), fmt.Sprintf("%.2f", ratio(s.ours.wall, s.reference.wall)),
				seconds(s.reference.cli), seconds(s.ours.cli), seconds(s.ours.provider), fmt.Sprint(s.ours.peak / mebi), s.ours.byVerb(),
			})
		}
	}
	return out
}

// growth is the table of how cost grows with the number of objects.
func (r *report) growth() table {
	out := table{{"Objects", "Step", "terraform_data, time", "k0smos_manifest, time", "CPU of the provider"}}
	first := r.sizes[0]
	for _, m := range r.sizes[1:] {
		for i, s := range m.steps {
			was := first.steps[i]
			out = append(out, []string{
				fmt.Sprintf("%d / %d", m.objects, first.objects), s.name, fmt.Sprintf("%.1f", ratio(s.reference.wall, was.reference.wall)),
				fmt.Sprintf("%.1f", ratio(s.ours.wall, was.ours.wall)), fmt.Sprintf("%.1f", ratio(s.ours.provider, was.ours.provider)),
			})
		}
	}
	return out
}

func (r *report) verdicts() table {
	out := table{{"", "Budget", "Allowed", "Measured"}}
	for _, b := range r.budgets {
		out = append(out, []string{b.verdict(), b.what, b.allowed, b.measured})
	}
	return out
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.1f", d.Seconds()) }

// print writes for a terminal.
func (r *report) print(out io.Writer) error {
	fmt.Fprintf(out, "\n%s\n%s\n", r.machine, r.start)
	for _, m := range r.sizes {
		fmt.Fprintf(out, "State of %d objects: %.1f MB, of terraform_data %.1f MB.\n", m.objects, float64(m.state)/1e6, float64(m.base)/1e6)
	}
	for _, t := range []table{r.steps(), r.growth(), r.verdicts()} {
		if len(t) == 1 {
			continue
		}
		fmt.Fprintln(out)
		w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
		for _, row := range t {
			for _, cell := range row {
				fmt.Fprint(w, cell, "\t")
			}
			fmt.Fprintln(w)
		}
		if err := w.Flush(); err != nil {
			return err
		}
	}
	return nil
}

func (m machine) String() string {
	text := fmt.Sprintf("%d cores, ", m.cores)
	if m.memory > 0 {
		text += fmt.Sprintf("%d GiB of memory, ", (m.memory+1<<29)>>30)
	}
	text += fmt.Sprintf("%s, %s, provider %s built with %s", m.system, m.cli, m.provider, m.golang)
	if m.load != "" {
		text += "; load average when the run began: " + m.load
	}
	return text + "."
}

func (f startFigures) String() string {
	return fmt.Sprintf("Start of the provider: handshake after %d ms, first answer (the schema, %d kB) after %d ms, the fastest of %d after %d ms; %d MiB resident then; binary %.1f MiB.",
		f.handshake.Milliseconds(), f.schema/1000, f.firstCall.Milliseconds(), starts, f.fastest.Milliseconds(), f.idle/mebi, float64(f.binary)/mebi)
}

const introduction = `# Performance

` + "`make bench WRITE=docs/performance.md`" + ` wrote this page: it measures the provider against ` + "`terraform_data`" + `, a resource that does nothing but
be in the state, in one run on an embedded API server. Both get the same number of objects with the same values and references:
small queues that name their department. Compare ratios and counts; seconds depend on the machine and on what else it does.

`

const explanation = `Times are from the start of the command line to its end, with its default parallelism of 10. CPU is user and system time of all
cores, without that of the API server, which shares the machine. Requests are those about the objects, their kind and the cluster's
identity, as the API server counts them; in a destroy they include the garbage collector's: each PATCH, and a GET for it, answer
to the foreground deletion of one object.

`

// writeFile writes the page.
func (r *report) writeFile(name string) error {
	var b bytes.Buffer
	b.WriteString(introduction)
	fmt.Fprintf(&b, "%s, %s\n\n%s\n\n", r.date.Format("2 January 2006"), r.machine, r.start)
	b.WriteString("## Steps\n\n")
	r.steps().markdown(&b)
	b.WriteString(explanation)
	if len(r.sizes) > 1 {
		b.WriteString("## Growth\n\nHow many times as much the larger number of objects takes.\n\n")
		r.growth().markdown(&b)
	}
	b.WriteString("## Budgets\n\n")
	r.verdicts().markdown(&b)
	return os.WriteFile(name, bytes.TrimRight(append(bytes.TrimRight(b.Bytes(), "\n"), '\n'), "\x00"), 0o644)
}

func (t table) markdown(b *bytes.Buffer) {
	for i, row := range t {
		b.WriteString("|")
		for _, cell := range row {
			fmt.Fprintf(b, " %s |", cell)
		}
		b.WriteString("\n")
		if i == 0 {
			for range row {
				b.WriteString("|---")
			}
			b.WriteString("|\n")
		}
	}
	b.WriteString("\n")
}
