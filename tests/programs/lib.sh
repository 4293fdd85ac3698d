# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=bash
# For tests/programs/*.test (bash): unmodified verbs programs on the software
# device, one process or a server and its client.
#
#	. "$(dirname "$0")/lib.sh" "$@"
#	needs ibv_rc_pingpong
#	pair ibv_rc_pingpong -g 0 -p PORT -- ibv_rc_pingpong -g 0 -p PORT localhost
#	pair_passed
#
# All processes are ended when the test ends, by their ids.
set -u

build=$(cd "$1" && pwd)
verbatim=$build/verbatim
work=$(mktemp -d)
started=()
# Programs outside our control: nothing here takes that long.
limit=60
# How often a condition is looked at.
tick=0.02
# In a build with AddressSanitizer: what those programs leak is not ours.
export ASAN_OPTIONS=${ASAN_OPTIONS-}:detect_leaks=0

fail() {
	echo "failed: $*" >&2
	local f
	for f in "$work"/*.out; do
		[ ! -s "$f" ] || sed "s/^/$(basename "$f" .out): /" "$f" | tail -n 30 >&2
	done
	exit 1
}

skip() {
	echo "skipped: $*"
	exit 77
}

cleanup() {
	local pid
	# The shell would tell of each that it was killed.
	exec 2>/dev/null
	for pid in ${started[@]+"${started[@]}"}; do
		kill -9 "$pid"
	done
	wait
	rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 130' INT TERM HUP

needs() { # PROGRAM...
	local p
	for p; do
		command -v "$p" >/dev/null || skip "$p is not installed"
	done
}

# soft PROGRAM...: run it on the software device, within the limit.
soft() {
	timeout -k 5 "$limit" "$verbatim" exec -- "$@"
}

# A condition, looked at until it holds, its process is gone or time is up.
await() { # PID SECONDS COMMAND...
	local pid=$1 end=$((SECONDS + $2))
	shift 2
	until "$@"; do
		kill -0 "$pid" 2>/dev/null || return 1
		[ $SECONDS -lt $end ] || return 1
		read -r -t $tick <>"$work/never"
	done
	return 0
}
mkfifo "$work/never"

# listens PORT: somebody does, by TCP.
listens() {
	local hex
	hex=$(printf '%04X' "$1")
	grep -qE "^ *[0-9]+: [0-9A-F]+:$hex [0-9A-F:]+ 0A " \
		/proc/net/tcp /proc/net/tcp6 2>/dev/null
}

# A TCP port that nobody has: chosen below the range that the kernel gives out
# for clients, apart from those of tests that run at the same time.
free_port() { # sets port
	local try
	for ((try = 0; try < 200; try++)); do
		port=$((12000 + ($$ * 37 + RANDOM) % 18000))
		grep -qE ":$(printf '%04X' $port) " /proc/net/tcp /proc/net/tcp6 ||
			return 0
	done
	fail "no free TCP port"
}

# start NAME PROGRAM...: in the background, what it says in $work/NAME.out;
# sets pid.  The process is the program itself, so that a signal reaches it.
start() {
	local name=$1
	shift
	# Now, and not when the process gets to it: who awaits a word of it
	# must not find one of the last time.
	: >"$work/$name.out"
	"$verbatim" exec -- "$@" >"$work/$name.out" 2>&1 </dev/null &
	pid=$!
	started+=("$pid")
}

gone() { # PID
	! kill -0 "$1" 2>/dev/null
}

# ended PID SECONDS: wait for it; its exit status, or 124 after killing it.
ended() {
	local end=$((SECONDS + $2))
	until gone "$1"; do
		if [ $SECONDS -ge $end ]; then
			kill -9 "$1" 2>/dev/null
			wait "$1" 2>/dev/null
			return 124
		fi
		read -r -t $tick <>"$work/never"
	done
	wait "$1"
}

# pair_start SERVER... -- CLIENT...: the word PORT stands for a free TCP port.
# Sets server and client, their process ids.
pair_start() {
	local server_words=() client_words=() words=server_words word
	free_port
	for word; do
		[ "$word" != PORT ] || word=$port
		if [ "$word" = -- ]; then
			words=client_words
		elif [ $words = server_words ]; then
			server_words+=("$word")
		else
			client_words+=("$word")
		fi
	done
	start server "${server_words[@]}"
	server=$pid
	await "$server" 20 listens "$port" ||
		fail "the server does not listen on port $port: ${server_words[*]}"
	start client "${client_words[@]}"
	client=$pid
}

# pair SERVER... -- CLIENT...: both to their end; sets server_rc, client_rc.
pair() {
	pair_start "$@"
	ended "$client" "$limit"
	client_rc=$?
	ended "$server" "$limit"
	server_rc=$?
	what=$*
}

pair_passed() {
	[ "$client_rc" = 0 ] || fail "client ended with $client_rc: $what"
	[ "$server_rc" = 0 ] || fail "server ended with $server_rc: $what"
}

# said NAME PATTERN: the output of NAME has a line that matches.
said() {
	grep -qE -- "$2" "$work/$1.out"
}

must_say() { # NAME PATTERN
	said "$1" "$2" || fail "$1 does not say \"$2\": $what"
}
