#!/bin/sh
# Validates every example with the provider in bin/mirror; CLI names the command line (see cli.sh).
set -eu

cd "$(dirname "$0")/.."
cli=$(tools/cli.sh "${CLI:-}")
export TF_CLI_CONFIG_FILE="$(pwd)/bin/terraformrc"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

find examples -name '*.tf' -exec dirname {} + | sort -u | while read -r example; do
	mkdir -p "$work/$example"
	cp "$example"/*.tf "$work/$example"
	# Examples of one resource leave out what their page says already.
	grep -qs required_providers "$example"/*.tf ||
		printf 'terraform {\n  required_providers {\n    k0smos = { source = "k0smos/k0smos" }\n  }\n}\n' >"$work/$example/versions.tf"
	(cd "$work/$example" && "$cli" init -input=false -no-color >init.log 2>&1 || { cat init.log && exit 1; })
	printf '%s: ' "$example"
	(cd "$work/$example" && "$cli" validate -no-color)
done
