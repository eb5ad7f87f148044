#!/bin/sh
# The demo, called by `make demo` (up) and `make demo-down` (down): examples/geo-distributed on the embedded cluster.
# Its first argument says which; CLI names the command line (see cli.sh). The provider is in bin/mirror by then.
set -eu

cd "$(dirname "$0")/.."
root=$(pwd)
work=.devcluster/demo   # a copy of the example and its state: they are gone when the cluster is
before=$work/before.json # what was in the cluster when the demo began
key=$work/key.pem         # opens nothing: no host is reached
cli=$(tools/cli.sh "${CLI:-}")

say() {
	printf '\n== %s\n' "$*"
}

# run shows a command of the command line and runs it in the copy of the example.
run() {
	printf '\n$ %s %s\n' "$(basename "$cli")" "$*"
	(cd "$work" && "$cli" "$@" </dev/null)
}

devcluster() {
	go run ./internal/devcluster/cmd/devcluster "$@"
}

show() {
	go run ./internal/devcluster/cmd/show -kubeconfig "$KUBE_CONFIG_PATH" "$@"
}

# The example takes the private key of its hosts from the environment, in every run.
make_key() {
	[ -e "$key" ] || (umask 077 && go run ./internal/devcluster/cmd/sshkey >"$key.new" && mv "$key.new" "$key")
	TF_VAR_ssh_private_key=$(cat "$key")
	export TF_VAR_ssh_private_key
}

unset KUBE_CONFIG_PATHS
export KUBE_CONFIG_PATH="$root/.devcluster/kubeconfig"
export TF_CLI_CONFIG_FILE="$root/bin/terraformrc"
[ -t 1 ] || export TF_CLI_ARGS=-no-color

up() {
	say "An embedded management cluster"
	devcluster up
	mkdir -p "$work"
	cp examples/geo-distributed/*.tf "$work"
	[ -e "$before" ] || show -write "$before"
	make_key

	say "One apply: a hosted control plane, three sites with their hosts, and queues in the cluster that it hosts"
	rm -f "$work/.terraform.lock.hcl" # it holds the checksum of an earlier build
	run init -input=false
	run apply -input=false -auto-approve

	say "What exists now"
	show

	say "A second plan: nothing to do"
	run plan -input=false -detailed-exitcode

	name=$(basename "$cli")
	[ "$(command -v "$name")" = "$cli" ] || name=$cli
	cat <<-EOT

	== Try next

	  cd $work
	  export KUBE_CONFIG_PATH=$KUBE_CONFIG_PATH
	  export TF_CLI_CONFIG_FILE=$TF_CLI_CONFIG_FILE
	  export TF_VAR_ssh_private_key="\$(cat key.pem)"

	  $name plan -var k0s_version=v1.36.2           one minor version up: the control plane in place, then the hosts one by one
	  $name plan -var k0s_version=v1.37.0           two at once: refused, with the reason
	  $name apply -var deletion_protection=true     then $name destroy: refused before anything happens
	  Change a quota in scheduling.tf, or with kubectl, and plan again.
	  Take a host out of variables.tf, or give its pool a label, and see what stays as it is.

	make demo-down takes all of it away again.
	EOT
}

down() {
	if devcluster status >/dev/null 2>&1; then
		if [ ! -e "$before" ]; then
			echo "No demo is up. The cluster that runs here was started by make up; make down stops it."
			return
		fi
		show -add-hosted "$before"
		make_key
		say "Destroy"
		rm -f "$work/.terraform.lock.hcl"
		run init -input=false
		run destroy -input=false -auto-approve
		say "What is left"
		show -since "$before"
	fi
	say "Stop the embedded management cluster"
	devcluster down
}

case "${1:-}" in
up) up ;;
down) down ;;
*)
	echo "usage: demo.sh up|down" >&2
	exit 2
	;;
esac
