#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# A soak beside ib_send_bw at the same settings, on the same device in the same
# run: 64 queue pairs, both ways, so many messages in flight on each.  Every
# message of the soak is made, checked and booked; those of the other are not
# looked at.  Each round measures both, one after the other; medians.
#	bench/soak.sh BUILD_DIR [ROUNDS]
# Exit status 1: somewhere the rate is below 0.8 of theirs.
# shellcheck source=bench/lib.sh
. "$(dirname "$0")/lib.sh"
needs ib_send_bw python3
qps=64 inflight=32

# theirs LINK BYTES: MB/s, both ways together
theirs() {
	# Of whole windows, else it miscounts its completions and waits for ever; no peak
	# (-N), which it finds by comparing every two completions: minutes of them.
	local server n=$((4000000000 / $2 / qps / inflight * inflight))
	local args=(-d soft0 -x 0 -F -b -q "$qps" -t "$inflight" -r "$inflight" -s "$2" -n "$n" -N)
	port=$((port + 1))
	SOFT_LINK=$1 LD_PRELOAD=$lib timeout -k 2 120 ib_send_bw "${args[@]}" -p "$port" \
		>"$work/server" 2>&1 &
	server=$!
	await_listener $port
	SOFT_LINK=$1 LD_PRELOAD=$lib timeout -k 2 120 ib_send_bw "${args[@]}" -p "$port" \
		127.0.0.1 >"$work/client" 2>&1
	wait $server
	awk '$1 ~ /^[0-9]+$/ && $2 ~ /^[0-9]+$/ { v = $4 * 1.048576 } END { print v }' \
		"$work/client"
}

# ours LINK BYTES: the same
ours() {
	SOFT_LINK=$1 timeout -k 2 60 "$build/verbatim" soak -d soft0 --size "$2" --qps $qps \
		--inflight $inflight --rq-depth $inflight --mode both --duration 5s --out "$work/soak" \
		>/dev/null 2>&1
	python3 - "$work/soak/soak.jsonl" <<'PY'
import json
import sys

end = [json.loads(line) for line in open(sys.argv[1])][-1]
print(end["bytes"] / end["measured_s"] / 1e6)
PY
	rm -rf "$work/soak"
}

echo "load $(cut -d ' ' -f 1-3 /proc/loadavg), $(nproc) processors, $rounds rounds, medians"
echo "link   bytes      ib_send_bw MB/s      soak MB/s  ratio"
bad=0
for link in shm udp; do
	for bytes in 4096 16384 65536; do
		: >"$work/t"
		: >"$work/o"
		for ((round = 0; round < rounds; round++)); do
			theirs $link $bytes >>"$work/t"
			ours $link $bytes >>"$work/o"
		done
		awk -v link=$link -v bytes=$bytes -v t="$(median <"$work/t")" \
			-v o="$(median <"$work/o")" 'BEGIN {
				printf "%-4s %9d %17.0f %14.0f  %5.2f\n", link, bytes, t, o, o / t
				exit !(o / t >= 0.8)
			}' || bad=1
	done
done
exit $bad
