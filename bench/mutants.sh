#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What the mutants cost while they are asleep: the instructions of a message of
# 8 bytes between two queue pairs, with and without their guards.  Instructions
# are counted, not time; how often the device polls in vain differs from run to
# run, so both builds are run in turn, and medians are taken.
#	bench/mutants.sh BUILD_DIR BUILD_DIR_WITHOUT [ROUNDS]
# The second one is made with -DVB_MUTANTS=OFF, both with the same build type.
[ $# -ge 2 ] || {
	echo "usage: bench/mutants.sh BUILD_DIR BUILD_DIR_WITHOUT [ROUNDS]" >&2
	exit 2
}
# shellcheck source=bench/lib.sh
. "$(dirname "$0")/lib.sh"
needs valgrind
with=$build
without=$(cd "$2" && pwd)
rounds=${3:-7}
messages=1000

# instructions BUILD_DIR MESSAGES: of the whole run
instructions() {
	LD_PRELOAD=$1/libsoftrdma.so valgrind --tool=callgrind \
		--callgrind-out-file=/dev/null "$1/queues" 2 "$2" 2>&1 \
		>/dev/null | sed -nE 's/.*Collected : ([0-9]+)/\1/p'
}

# a_message NAME: the longer runs without the shorter ones, by the messages that
# they have more, in each of four rounds
a_message() {
	echo $((($(median <"$work/$1-2") - $(median <"$work/$1-1")) / (4 * messages)))
}

for ((round = 0; round < rounds; round++)); do
	for times in 1 2; do
		instructions "$with" $((times * messages)) >>"$work/with-$times"
		instructions "$without" $((times * messages)) >>"$work/without-$times"
	done
done
awk -v a="$(a_message with)" -v b="$(a_message without)" 'BEGIN {
	printf "%d instructions a message with mutants, %d without: %+.2f%%\n",
		a, b, 100 * (a - b) / b
}'
