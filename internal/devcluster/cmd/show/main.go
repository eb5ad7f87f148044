// Command show tells what this provider made: in the management cluster, and in every cluster hosted there.
//
//	show                    print the objects that carry the provider's label, cluster by cluster
//	show -write FILE        write down what is in the management cluster now
//	show -add-hosted FILE   write down, too, how to reach the hosted clusters
//	show -since FILE        print what is there and was not when FILE was written; fail if there is anything
//
// The demo uses it in place of kubectl, and its tear-down to prove that nothing is left.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Stdout, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "show:", err)
		stop()
		os.Exit(1)
	}
}

func run(ctx context.Context, out io.Writer, args []string) error {
	flags := flag.NewFlagSet("show", flag.ContinueOnError)
	kubeconfig := flags.String("kubeconfig", ".devcluster/kubeconfig", "kubeconfig of the management cluster")
	write := flags.String("write", "", "file to write what is there now into")
	addHosted := flags.String("add-hosted", "", "file written before, to add the hosted clusters to")
	since := flags.String("since", "", "file written before, to compare with what is there now")
	if err := flags.Parse(args); err != nil {
		return err
	}
	config, err := clientcmd.BuildConfigFromFlags("", *kubeconfig)
	if err != nil {
		return fmt.Errorf("read %s: %w", *kubeconfig, err)
	}
	management := cluster{name: "management cluster", config: quiet(config)}
	switch {
	case *write != "":
		return writeRecord(ctx, management, *write)
	case *addHosted != "":
		return addHostedTo(ctx, management, *addHosted)
	case *since != "":
		return left(ctx, out, management, *since)
	}
	return made(ctx, out, management)
}

// made prints what carries our label, and counts what controllers added to it.
func made(ctx context.Context, out io.Writer, management cluster) error {
	objects, err := management.objects(ctx)
	if err != nil {
		return err
	}
	printCluster(out, management, objects)
	for _, hosted := range hostedIn(objects) {
		inside, err := hosted.objects(ctx)
		if err != nil {
			return err
		}
		printCluster(out, hosted, inside)
		printNodes(out, inside)
	}
	return nil
}

var errLeft = errors.New("objects are left that were not there before")

func quiet(config *rest.Config) *rest.Config {
	config.QPS = -1
	config.WarningHandler = rest.NoWarnings{}
	return config
}
