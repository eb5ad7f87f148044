// Command terraform-provider-k0smos serves the provider to Terraform and OpenTofu.
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/k0smos/terraform-provider-k0smos/internal/provider"
)

// version is set by the linker.
var version = "dev"

func main() {
	debug := flag.Bool("debug", false, "keep running for a debugger and print how Terraform reattaches")
	showVersion := flag.Bool("version", false, "print the version and stop")
	flag.Parse()
	if *showVersion {
		fmt.Println(version)
		return
	}
	if err := provider.Serve(version, *debug); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
