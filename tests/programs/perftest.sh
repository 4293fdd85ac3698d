# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=bash
# For the tests of perftest's programs: both ends run, and the results can be.
. "$(dirname "$0")/lib.sh" "$@"
needs ib_send_bw ib_send_lat ib_write_bw ib_write_lat ib_read_bw ib_read_lat \
	ib_atomic_bw ib_atomic_lat

# Its table's rows begin with size and iterations.
row() { # SIZE: its line in the client's table
	awk -v size="$1" '$1 == size && $2 ~ /^[0-9]+$/' "$work/client.out" | tail -n 1
}

perftest() { # PROGRAM SIZE OPTION...
	local program=$1 size=$2
	shift 2
	pair "$program" -d soft0 -x 0 -F -p PORT "$@" -- \
		"$program" -d soft0 -x 0 -F -p PORT "$@" 127.0.0.1
	pair_passed
	line=$(row "$size")
	[ -n "$line" ] || fail "no result for $size bytes: $what"
	echo "$program $*: $line"
}

# It measures its clock against the system's first, and says so when the host is
# too busy for that: what it counts then is right, and its times mean nothing.
has_clock() {
	! said client '^ *Correlation coefficient'
}

# bandwidth: bytes, iterations, peak, average MB/s, million messages a second
bandwidth() { # PROGRAM SIZE OPTION...
	perftest "$@"
	! has_clock || awk '{ exit !($4 > 0 && $5 > 0) }' <<<"$line" ||
		fail "a bandwidth of nothing: $line"
}

# latency: bytes, iterations, min, max, typical, average, deviation, tails; us
latency() { # PROGRAM SIZE OPTION...
	perftest "$@"
	! has_clock ||
		awk '{ exit !($3 > 0 && $4 >= $5 && $5 >= $3) }' <<<"$line" ||
		fail "latencies that cannot be: $line"
}
