#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What the mutants cost while they are asleep: the instructions of a message of
# 8 bytes between two queue pairs, with and without their guards.  Instructions
# are counted, not time, so a busy host does not matter.
#	bench/mutants.sh BUILD_DIR BUILD_DIR_WITHOUT
# The second one is made with -DVB_MUTANTS=OFF, both with the same build type.
set -eu
command -v valgrind >/dev/null || {
	echo "skipped: valgrind is not installed"
	exit 77
}
messages=1000

# instructions BUILD_DIR MESSAGES: of the whole run, the least of five, which
# polled in vain the least
instructions() {
	for _ in 1 2 3 4 5; do
		LD_PRELOAD=$1/libsoftrdma.so valgrind --tool=callgrind \
			--callgrind-out-file=/dev/null "$1/queues" 2 "$2" 2>&1 \
			>/dev/null | sed -nE 's/.*Collected : ([0-9]+)/\1/p'
	done | sort -n | head -n 1
}

# a_message BUILD_DIR: the longer run without the shorter one, by the messages
# that it has more, in each of four rounds
a_message() {
	local build
	build=$(cd "$1" && pwd)
	echo $((($(instructions "$build" $((2 * messages))) -
		$(instructions "$build" $messages)) / (4 * messages)))
}

with=$(a_message "$1")
without=$(a_message "$2")
awk -v a="$with" -v b="$without" 'BEGIN {
	printf "%d instructions a message with mutants, %d without: %+.2f%%\n",
		a, b, 100 * (a - b) / b
}'
