#!/bin/sh
# The demo, called by `make demo` (up) and `make demo-down` (down): examples/geo-distributed on the embedded cluster.
# Its first argument says which; CLI names the command line (see cli.sh). The provider is in bin/mirror by then.
set -eu

cd "$(dirname "$0")/.."
root=$(pwd)
example=examples/geo-distributed
before=.devcluster/before-demo.json # what was in the cluster when the demo began
cli=$(tools/cli.sh "${CLI:-}")

say() {
	printf '\n== %s\n' "$*"
}

# run shows a command of the command line and runs it in the example's folder.
run() {
	printf '\n$ %s %s\n' "$(basename "$cli")" "$*"
	(cd "$example" && "$cli" "$@" </dev/null)
}

devcluster() {
	go run ./internal/devcluster/cmd/devcluster "$@"
}

show() {
	go run ./internal/devcluster/cmd/show -kubeconfig "$KUBE_CONFIG_PATH" "$@"
}

# The same three variables let you go on by hand.
unset KUBE_CONFIG_PATHS
export KUBE_CONFIG_PATH="$root/.devcluster/kubeconfig"
export TF_CLI_CONFIG_FILE="$root/bin/terraformrc"
[ -t 1 ] || export TF_CLI_ARGS=-no-color

up() {
	say "An embedded management cluster"
	devcluster up
	[ -e "$before" ] || show -write "$before"

	say "One apply: a hosted control plane, and queues in the cluster that it hosts"
	rm -f "$example/.terraform.lock.hcl" # it holds the checksum of an earlier build
	run init -input=false
	run apply -input=false -auto-approve

	say "What exists now"
	show

	say "A second plan: nothing to do"
	run plan -input=false -detailed-exitcode

	cat <<-EOT

	== Try next
	export KUBE_CONFIG_PATH=$KUBE_CONFIG_PATH TF_CLI_CONFIG_FILE=$TF_CLI_CONFIG_FILE
	cd $example

	$(basename "$cli") plan -var k0s_version=v1.36.2     one minor version up: an update in place
	$(basename "$cli") plan -var k0s_version=v1.37.0     two: refused in the plan, with the reason
	$(basename "$cli") apply -var deletion_protection=true, then $(basename "$cli") destroy: refused in the plan
	Change a quota in scheduling.tf, or with kubectl, and plan again.

	make demo-down    takes all of it away again
	EOT
}

down() {
	if [ ! -e "$example/terraform.tfstate" ] && [ ! -e "$KUBE_CONFIG_PATH" ]; then
		echo "No demo is up."
		return
	fi
	devcluster up
	if [ -e "$example/terraform.tfstate" ]; then
		[ ! -e "$before" ] || show -add-hosted "$before"
		say "Destroy"
		rm -f "$example/.terraform.lock.hcl"
		run init -input=false
		run destroy -input=false -auto-approve
	fi
	if [ -e "$before" ]; then
		say "What is left"
		show -since "$before"
		rm -f "$before"
	fi
	say "Stop the embedded management cluster"
	devcluster down
	rm -rf "$example/.terraform" "$example/.terraform.lock.hcl" "$example"/terraform.tfstate*
}

case "${1:-}" in
up) up ;;
down) down ;;
*)
	echo "usage: demo.sh up|down" >&2
	exit 2
	;;
esac
