#!/bin/sh
# Prints the path of the command line that runs the provider here, in this order:
#   what the first argument names (terraform, tofu, or a path), else terraform or tofu from PATH if new enough,
#   else OpenTofu, built once from its Go module into the user's cache.
# Everything else that it has to say goes to standard error.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
oldest=11 # of both, 1.11 is the first with write-only attributes and ephemeral values (with OpenTofu, also the first at all)

fail() {
	echo "cli.sh: $*" >&2
	exit 1
}

# new_enough succeeds for a program that answers as Terraform or OpenTofu 1.$oldest or later.
new_enough() {
	number=$("$1" version 2>/dev/null | sed -n -e 's/^Terraform v//p' -e 's/^OpenTofu v//p' | head -n 1)
	major=${number%%.*}
	rest=${number#*.}
	minor=${rest%%.*}
	case "$major$minor" in '' | *[!0-9]*) return 1 ;; esac
	[ "$major" -gt 1 ] || { [ "$major" -eq 1 ] && [ "$minor" -ge "$oldest" ]; }
}

# in_path prints where a command is, if PATH has it and it is new enough.
in_path() {
	found=$(command -v "$1") || return 1
	if ! new_enough "$found"; then
		echo "cli.sh: $found is older than 1.$oldest and is left alone" >&2
		return 1
	fi
	echo "$found"
}

cache() {
	if [ -n "${XDG_CACHE_HOME:-}" ]; then
		echo "$XDG_CACHE_HOME/k0smos"
	elif [ "$(uname -s)" = Darwin ]; then
		echo "$HOME/Library/Caches/k0smos"
	else
		echo "$HOME/.cache/k0smos"
	fi
}

# build_tofu prints where OpenTofu is in the cache, and builds it first if it is not there.
build_tofu() {
	cd "$here/opentofu"
	version=$(go list -m -f '{{.Version}}' github.com/opentofu/opentofu) || fail "the Go module of OpenTofu cannot be had; put terraform or tofu (1.$oldest or later) into PATH instead"
	folder=$(cache)/opentofu-$version
	if [ ! -x "$folder/tofu" ]; then
		mkdir -p "$folder"
		new=$folder/tofu.$$
		start=$(date +%s)
		echo "Building OpenTofu $version from its Go module: about 6 minutes on 2 cores, once." >&2
		CGO_ENABLED=0 go build -trimpath -ldflags '-s -w -X github.com/opentofu/opentofu/version.dev=no' -o "$new" github.com/opentofu/opentofu/cmd/tofu >&2 &
		build=$!
		trap 'kill "$build" 2>/dev/null; rm -f "$new"; exit 130' INT TERM
		while kill -0 "$build" 2>/dev/null; do
			sleep 1
			spent=$(($(date +%s) - start))
			[ $((spent % 15)) -ne 0 ] || [ "$spent" -eq 0 ] || echo "  still building OpenTofu, ${spent}s so far" >&2
		done
		wait "$build" || fail "OpenTofu $version could not be built; put terraform or tofu (1.$oldest or later) into PATH instead"
		mv "$new" "$folder/tofu"
		echo "Built OpenTofu in $(($(date +%s) - start))s." >&2
	fi
	echo "$folder/tofu"
}

case "${1:-}" in
'') in_path terraform || in_path tofu || build_tofu ;;
terraform) in_path terraform || fail "no terraform 1.$oldest or later in PATH" ;;
tofu) in_path tofu || build_tofu ;;
*)
	[ -x "$1" ] || fail "$1 is neither terraform, tofu, nor a program"
	new_enough "$1" || fail "$1 does not answer as Terraform or OpenTofu 1.$oldest or later"
	(cd "$(dirname "$1")" && echo "$(pwd)/$(basename "$1")")
	;;
esac
