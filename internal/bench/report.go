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

	measured []measurement
	budgets  []budget
}

// add takes in a measurement, or hands on why there is none.
func (r *report) add(m measurement, err error) error {
	r.measured = append(r.measured, m)
	return err
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
	out := table{{"Objects", "State", "Step", "terraform_data, s", "k0smos_manifest, s", "Ratio", "CPU for terraform_data, s", "CPU of the CLI, s", "CPU of the provider, s", "CPU of the API server, s", "Memory of the provider, MiB", "Requests"}}
	for _, m := range r.measured {
		for _, s := range m.steps {
			out = append(out, []string{
				fmt.Sprint(m.objects), m.state(), s.name, seconds(s.reference.wall), seconds(s.ours.wall), times(s.ours.wall, s.reference.wall),
				seconds(s.reference.cli), seconds(s.ours.cli), seconds(s.ours.provider), seconds(s.ours.server), fmt.Sprint(s.ours.peak / mebi), s.ours.byVerb(),
			})
		}
	}
	return out
}

// growth is the table of how cost grows with the number of objects.
func (r *report) growth() table {
	out := table{{"Objects", "Step", "Time", "CPU of the CLI", "CPU of the provider", "CPU of the API server", "Memory of the provider", "Requests"}}
	was := r.first()
	for _, m := range r.larger() {
		for i, s := range m.steps {
			a, b := s.ours, was.steps[i].ours
			out = append(out, []string{
				fmt.Sprintf("%d / %d", m.objects, was.objects), s.name, times(a.wall, b.wall), times(a.cli, b.cli), times(a.provider, b.provider),
				times(a.server, b.server), times(time.Duration(a.peak), time.Duration(b.peak)), times(time.Duration(a.total()), time.Duration(b.total())),
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

// Of what was not measured there is no figure.
func seconds(d time.Duration) string {
	if d == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f", d.Seconds())
}

func times(a, b time.Duration) string {
	if a == 0 || b == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f", ratio(a, b))
}

// print writes for a terminal.
func (r *report) print(out io.Writer) error {
	fmt.Fprintf(out, "\n%s\n%s\n", r.machine, r.start)
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

` + "`make bench`" + ` wrote this page: it measures the provider against ` + "`terraform_data`" + `, a resource that does nothing but
be in the state, in one run on an embedded API server. Both get the same number of objects with the same values and references:
small queues that name their department. Compare ratios and counts; seconds depend on the machine and on what else it does.

`

const explanation = `A state is in a file, as it is by default, or in a remote backend. With a file, the command line writes the whole state twice for
each resource: minutes for 1,000 of them, hours for 5,000, in which nothing of the provider would be seen. With a backend, too, it
goes through all resources for each of them, so that its own share does not grow linearly. The growth table shows who takes what;
terraform_data itself is measured up to 1,000.

Times are from the start of the command line to its end, with its default parallelism of 10. CPU is user and system time of all
cores; the API server, with its etcd and controllers, shares the machine. Requests are those about the objects, their kind and the cluster's
identity, as the API server counts them; in a destroy they include those of the garbage collector, which for each object that is deleted in the
foreground sends two GET and the PATCH.

`

// writeFile writes the page.
func (r *report) writeFile(name string) error {
	var b bytes.Buffer
	b.WriteString(introduction)
	fmt.Fprintf(&b, "%s, %s\n\n%s\n\n", r.date.Format("2 January 2006"), r.machine, r.start)
	b.WriteString("## Steps\n\n")
	r.steps().markdown(&b)
	b.WriteString(explanation)
	if len(r.larger()) > 0 {
		b.WriteString("## Growth\n\nHow many times as much the larger number of objects takes.\n\n")
		r.growth().markdown(&b)
	}
	b.WriteString("## Budgets\n\n")
	r.verdicts().markdown(&b)
	return os.WriteFile(name, append(bytes.TrimSpace(b.Bytes()), '\n'), 0o644)
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
