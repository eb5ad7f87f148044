// Command bench measures the provider against terraform_data, which does no more than be in a state: the same number of
// objects in the same shape, in one run on an embedded API server. It prints a table, judges the budgets, and ends with
// code 1 where a count or a size misses its budget; a time that does is only said, since the machine may be busy.
//
// Times on a machine that does other things say little. The budgets are therefore ratios and counts, except for the start
// of the provider, and each step runs right after the one that it is compared with.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// options are the command line.
type options struct {
	cli, provider, write string
	sizes, files         []int
	compare              int
	keep                 bool
}

func main() {
	if strings.HasPrefix(filepath.Base(os.Args[0]), pluginName) {
		os.Exit(recordPlugin())
	}
	o, err := parse()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	firm, err := bench(ctx, o, os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(2)
	}
	if firm > 0 {
		os.Exit(1)
	}
}

func parse() (options, error) {
	var o options
	var sizes, files string
	flag.StringVar(&o.cli, "cli", "terraform", "terraform or tofu")
	flag.StringVar(&o.provider, "provider", "bin/"+pluginName, "the provider to measure, built and stripped")
	flag.StringVar(&o.write, "write", "", "write the results as Markdown into this file")
	flag.StringVar(&sizes, "sizes", "1000,5000", "numbers of objects, with the state in a backend; each is compared with the first")
	flag.StringVar(&files, "files", "200", "numbers of objects to measure with the state in a file as well; \"\" for none")
	flag.IntVar(&o.compare, "compare", 1000, "compare with terraform_data up to this number; its own cost grows with the square")
	flag.BoolVar(&o.keep, "keep", false, "keep the folder with configurations and logs")
	flag.Parse()
	var err error
	if o.sizes, err = numbers(sizes); err != nil || len(o.sizes) == 0 {
		return o, fmt.Errorf("-sizes: %w", cmp.Or(err, errors.New("none")))
	}
	if o.files, err = numbers(files); err != nil {
		return o, fmt.Errorf("-files: %w", err)
	}
	o.provider, err = filepath.Abs(o.provider)
	return o, err
}

func numbers(list string) ([]int, error) {
	var out []int
	for text := range strings.SplitSeq(list, ",") {
		if text == "" {
			continue
		}
		n, err := strconv.Atoi(text)
		if err != nil || n <= departments {
			return nil, fmt.Errorf("%q is not a number above %d", text, departments)
		}
		out = append(out, n)
	}
	return out, nil
}

// bench measures and reports. It returns how many budgets were missed that do not depend on time.
func bench(ctx context.Context, o options, out io.Writer) (firm int, err error) {
	work, err := os.MkdirTemp("", "k0smos-bench-")
	if err != nil {
		return 0, err
	}
	if o.keep {
		fmt.Fprintln(out, "Files are in", work)
	} else {
		defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	}
	r := report{options: o, date: time.Now().UTC()}
	if r.machine, err = describeMachine(ctx, o); err != nil {
		return 0, err
	}
	fmt.Fprintln(out, "Measuring how the provider starts.")
	if r.start, err = measureStart(ctx, o.provider); err != nil {
		return 0, err
	}
	lab, err := newLaboratory(ctx, o, work, out)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, lab.close()) }()
	for _, n := range o.files {
		if err := r.add(lab.measure(ctx, n, false)); err != nil {
			return 0, err
		}
	}
	for _, n := range o.sizes {
		if err := r.add(lab.measure(ctx, n, true)); err != nil {
			return 0, err
		}
	}
	r.judge()
	if err := r.print(out); err != nil {
		return 0, err
	}
	if o.write != "" {
		if err := r.writeFile(o.write); err != nil {
			return 0, err
		}
		fmt.Fprintln(out, "\nWritten to", o.write)
	}
	all, firm := r.missed()
	fmt.Fprintf(out, "\n%d budgets missed, %d of them counts or sizes.\n", all, firm)
	return firm, nil
}
