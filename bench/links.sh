#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The speed of the links of the software device, as unmodified perftest
# programs see it, beside what the host can do at best at the same moment: each
# round measures both, one after the other, and medians are printed.
#	bench/links.sh BUILD_DIR [ROUNDS]
# For figures worth anything BUILD_DIR is a release build, and the host quiet;
# the ratio suffers less than the figures do when it is not.
# shellcheck source=bench/lib.sh
. "$(dirname "$0")/lib.sh"
needs ib_send_bw ib_write_bw ib_read_bw ib_send_lat ib_write_lat

# perftest LINK CORE CORE COLUMN PROGRAM OPTION...: one figure of its table
perftest() {
	local link=$1 a=$2 b=$3 column=$4 server
	shift 4
	port=$((port + 1))
	SOFT_LINK=$link LD_PRELOAD=$lib timeout -k 2 60 taskset -c "$a" \
		"$@" -d soft0 -x 0 -F -p $port >"$work/server" 2>&1 &
	server=$!
	await_listener $port
	SOFT_LINK=$link LD_PRELOAD=$lib timeout -k 2 60 taskset -c "$b" \
		"$@" -d soft0 -x 0 -F -p $port 127.0.0.1 >"$work/client" 2>&1 ||
		echo "failed: $link $*: $(grep -m 1 -i status "$work/client")" >&2
	wait $server
	awk -v c="$column" '$1 ~ /^[0-9]+$/ && $2 ~ /^[0-9]+$/ { v = $c }
		END { if (v != "") print v }' "$work/client"
}
# compare NAME MODE BYTES LINK CORES COLUMN PROGRAM OPTION...
compare() {
	local name=$1 mode=$2 size=$3 link=$4 cores=$5 column=$6 i a b
	shift 6
	a=${cores% *} b=${cores#* }
	: >"$work/ours"
	: >"$work/best"
	for ((i = 0; i < rounds; i++)); do
		"$build/ceiling" "$mode" "$size" 1 "$a" "$b" >>"$work/best"
		perftest "$link" "$a" "$b" "$column" "$@" -s "$size" >>"$work/ours"
	done
	awk -v name="$name" -v cores="$cores" -v ours="$(median <"$work/ours")" \
		-v best="$(median <"$work/best")" -v lat="${mode#*-}" 'BEGIN {
			printf "%-34s cores %s  %10.2f  ceiling %10.2f %s  ratio %.2f\n",
				name, cores, ours, best, lat == "bw" ? "MB/s" : "us",
				(best > 0 ? ours / best : 0)
		}'
}

echo "load $(cut -d ' ' -f 1-3 /proc/loadavg), $(nproc) processors, $rounds rounds, medians"
for cores in "0 1" "0 0"; do
	for link in shm udp; do
		for program in ib_send_bw ib_write_bw ib_read_bw; do
			compare "$link $program -s 65536" $link-bw 65536 $link "$cores" 4 \
				$program -n 5000
		done
		compare "$link ib_send_lat -s 8" $link-lat 8 $link "$cores" 5 \
			ib_send_lat -n 20000
		# Who waits here looks at memory and calls nothing; where both
		# do so on one core, each waits for the other's time slice.
		[ "$cores" = "0 0" ] ||
			compare "$link ib_write_lat -s 8" $link-lat 8 $link \
				"$cores" 5 ib_write_lat -n 5000
	done
done
echo "load $(cut -d ' ' -f 1-3 /proc/loadavg) at the end"
