#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# How often does "verbatim compare" find two runs of the same build the same, and
# one in which a message of a hundred takes 20 us longer worse in the tail?
#	bench/same.sh BUILD_DIR [PAIRS]
# Each pair is measured one after the other, as a user does it, before all else
# on the host where that is allowed; what is not the same is told figure by
# figure.  Exit status 1: less than 19 of 20 are the same.
# shellcheck source=bench/lib.sh
. "$(dirname "$0")/lib.sh"
pairs=${2:-20}
needs python3
first=()
chrt -r 1 true 2>/dev/null && first=(chrt -r 1)

# measure NAME RATE: with a rule that delays so many of the messages.  One in
# flight, and one packet each: none overtakes the one that is late, which would be
# another defect.
measure() {
	SOFT_FAULTS="delay:op=send,us=20,rate=$2" "${first[@]}" "$build/verbatim" bench -d soft0 \
		--size 2K,4K --qps 1 --inflight 1 --rates 0 --duration 100ms \
		--warm-up 20ms --store "$work/store" \
		--save "$1" >/dev/null 2>"$work/err" && return
	cat "$work/err" >&2
	exit 1
}

# judge A B: the verdict; what is not the same goes to stderr
judge() {
	"$build/verbatim" compare --store "$work/store" "$1" "$2" >"$work/judged"
	grep -E ' (worse|better|unclear)( \(tail\))?$' "$work/judged" >&2
	sed -n 's/^B is //p' "$work/judged"
}

echo "load $(cut -d ' ' -f 1-3 /proc/loadavg), $(nproc) processors, $pairs pairs"
for ((pair = 0; pair < pairs; pair++)); do
	measure "a$pair" 0
	measure "b$pair" 0
	measure "c$pair" 0.01
	judge "a$pair" "b$pair" >>"$work/same" 2>"$work/differ"
	judge "a$pair" "c$pair" >>"$work/tail" 2>/dev/null
	echo "pair $pair: $(tail -n 1 "$work/same"); delayed: $(tail -n 1 "$work/tail")"
	cat "$work/differ"
done
# The same noise in any order: without what changed on the host between two runs.
# Runs drawn from all repeats of the undelayed ones.
shuffled() {
	local n
	python3 - "$work" <<'PY'
import glob
import json
import random
import sys

work = sys.argv[1]
runs = [json.load(open(f)) for f in sorted(glob.glob(work + "/store/[ab]*.json"))]
draw = random.Random(1)
pool = {}
for run in runs:
    for f in run["figures"]:
        pool.setdefault(f["name"], []).extend(f["values"])
repeats = len(runs[0]["figures"][0]["values"])
for n in range(100):
    made = [json.loads(json.dumps(runs[0])) for _ in "xy"]
    for k, f in enumerate(made[0]["figures"]):
        values = draw.sample(pool[f["name"]], 2 * repeats)
        made[0]["figures"][k]["values"] = values[:repeats]
        made[1]["figures"][k]["values"] = values[repeats:]
    for name, run in zip("xy", made):
        run["disturbed"] = 0
        json.dump(run, open(f"{work}/{name}{n}.json", "w"))
PY
	for ((n = 0; n < 100; n++)); do
		judge "$work/x$n.json" "$work/y$n.json" 2>/dev/null
	done
}
echo "their repeats shuffled, 100 pairs: $(shuffled | sort | uniq -c | tr -s ' \n' ' ')"
echo "the same device: $(sort "$work/same" | uniq -c | tr -s ' \n' ' ')"
echo "20 us more for one in a hundred: $(sort "$work/tail" | uniq -c | tr -s ' \n' ' ')"
[ $((20 * $(grep -cx same "$work/same"))) -ge $((19 * pairs)) ]
