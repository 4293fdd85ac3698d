# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=bash disable=SC2034 # variables are the sourcing script's
# For benchmarks that hold the device against other programs; sourced with their
# arguments, BUILD_DIR [ROUNDS].
set -u
build=$(cd "$1" && pwd)
rounds=${2:-5}
lib=$build/libsoftrdma.so
port=$((20000 + $$ % 10000))
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkfifo "$work/never"

needs() { # PROGRAM...: skips without them
	local program
	for program; do
		command -v "$program" >/dev/null || {
			echo "skipped: $program is not installed"
			exit 77
		}
	done
}

median() { sort -g | awk '{ v[NR] = $1 } END { print NR ? v[int((NR + 1) / 2)] : "nan" }'; }

await_listener() { # PORT: until something listens there, for 5 s at most
	local i
	for ((i = 0; i < 250; i++)); do
		grep -q ":$(printf %04X "$1") 0*:0000 0A " /proc/net/tcp /proc/net/tcp6 && break
		read -r -t 0.02 <>"$work/never"
	done
}
