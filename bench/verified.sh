#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Verified traffic beside ib_send_bw, on the same device in the same run: each
# round measures both, one after the other, and medians are printed; beside the
# rate the CPU time of both ends for a megabyte, which a busy host disturbs less.
#	bench/verified.sh BUILD_DIR [ROUNDS]
# For figures worth anything BUILD_DIR is a release build, and the host quiet.
# Exit status 1: somewhere the rate is below 0.85 of theirs.
# shellcheck source=bench/lib.sh
. "$(dirname "$0")/lib.sh"
needs ib_send_bw python3
TIMEFORMAT='%U %S'

# theirs LINK BYTES: "MB/s CPU-ms-per-MB" of ib_send_bw
theirs() {
	local server n=$((1500000000 / $2))
	port=$((port + 1))
	{ time SOFT_LINK=$1 LD_PRELOAD=$lib timeout -k 2 60 ib_send_bw -d soft0 -x 0 \
		-F -s "$2" -n $n -p $port >"$work/server" 2>&1; } 2>"$work/cpu-server" &
	server=$!
	await_listener $port
	{ time SOFT_LINK=$1 LD_PRELOAD=$lib timeout -k 2 60 ib_send_bw -d soft0 -x 0 \
		-F -s "$2" -n $n -p $port 127.0.0.1 >"$work/client" 2>&1; } 2>"$work/cpu-client"
	wait $server
	awk '$1 ~ /^[0-9]+$/ && $2 ~ /^[0-9]+$/ { v = $4 * 1.048576 }
		END { printf "%s ", v }' "$work/client"
	cat "$work/cpu-server" "$work/cpu-client" |
		awk -v mb="$((n * $2 / 1000000))" '{ s += $1 + $2 } END { print 1000 * s / mb }'
}

# ours LINK BYTES: the same of verified traffic
ours() {
	SOFT_LINK=$1 timeout -k 2 60 "$build/verbatim" bench -d soft0 --size "$2" \
		--qps 1 --inflight 32 --rates 0 --repeats 1 --duration 1s --json \
		>"$work/ours" || return
	python3 - "$work/ours" "$2" <<'PY'
import json
import sys

figures = {f["name"]: f["median"] for f in json.load(open(sys.argv[1]))["figures"]}
size = sys.argv[2]
print(figures["throughput/" + size], figures["cpu/" + size] / int(size))
PY
}

echo "load $(cut -d ' ' -f 1-3 /proc/loadavg), $(nproc) processors, $rounds rounds, medians"
echo "link   bytes      ib_send_bw MB/s  verified MB/s  ratio    CPU ms/MB: theirs   ours  ratio"
bad=0
for link in shm udp; do
	for bytes in 65536 262144 1048576; do
		: >"$work/t"
		: >"$work/o"
		for ((round = 0; round < rounds; round++)); do
			theirs $link $bytes >>"$work/t"
			ours $link $bytes >>"$work/o"
		done
		awk -v link=$link -v bytes=$bytes \
			-v t="$(cut -d ' ' -f 1 "$work/t" | median)" \
			-v tc="$(cut -d ' ' -f 2 "$work/t" | median)" \
			-v o="$(cut -d ' ' -f 1 "$work/o" | median)" \
			-v oc="$(cut -d ' ' -f 2 "$work/o" | median)" 'BEGIN {
				printf "%-4s %9d %17.0f %14.0f  %5.2f %20.3f %6.3f  %5.2f\n",
					link, bytes, t, o, o / t, tc, oc, tc / oc
				exit !(o / t >= 0.85)
			}' || bad=1
	done
done
exit $bad
