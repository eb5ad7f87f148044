// Command devcluster runs the embedded management cluster in the background, for people who have none.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/k0smos/terraform-provider-k0smos/internal/devcluster"
	"github.com/k0smos/terraform-provider-k0smos/internal/devcluster/binaries"
)

const usage = `Usage: devcluster <verb> [flags]

  build    find the programs of the cluster in the cache, or build them (about 12 minutes, once)
  kueue    find Kueue's manager in the cache, or build it: some tests put it beside the cluster
  up       start the cluster in the background and wait until it is ready
  status   say whether it runs (exit status 1 if not)
  down     stop what was started and remove its data

Flags:
`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "devcluster:", err)
		stop()
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("devcluster", flag.ContinueOnError)
	dir := flags.String("dir", ".devcluster", "folder of the cluster's data")
	crds := flags.String("crds", os.Getenv("K0SMOS_CRDS"), "folder of upstream CRDs; empty takes our own (default $K0SMOS_CRDS)")
	flags.SetOutput(io.Discard) // an error is one line; the whole usage is for those who ask
	if len(args) == 0 {
		return errors.New("no verb was given; `devcluster help` lists them")
	}
	err := flags.Parse(args[1:])
	if args[0] == "help" || args[0] == "-h" || args[0] == "--help" || errors.Is(err, flag.ErrHelp) {
		fmt.Print(usage)
		flags.SetOutput(os.Stdout)
		flags.PrintDefaults()
		return nil
	}
	if err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	abs, err := filepath.Abs(*dir)
	if err != nil {
		return err
	}
	home := home{dir: abs, crds: *crds, out: os.Stdout}
	switch args[0] {
	case "build":
		paths, err := devcluster.Binaries(ctx, os.Stdout)
		if err == nil {
			fmt.Printf("%s\n%s\n", paths.APIServer, paths.ClusterAPI)
		}
		return err
	case "kueue":
		kueue, err := binaries.FindKueue(ctx, os.Stdout)
		if err == nil {
			fmt.Println(kueue.Program)
		}
		return err
	case "up":
		return home.up(ctx)
	case "down":
		return home.down(ctx)
	case "status":
		return home.status(ctx)
	case superviseVerb:
		return home.supervise(ctx)
	default:
		return fmt.Errorf("unknown verb %q; `devcluster help` lists them", args[0])
	}
}
