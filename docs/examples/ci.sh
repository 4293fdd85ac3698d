#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# ci.sh DEPOT: the tests of depot, as a CI job runs them, on a machine without
# RDMA hardware.  docs/ci-without-hardware.md tells about it.
#
#	VERBATIM	the verbatim program (default: the one in PATH)
#	ARTIFACTS	what a failed test leaves (default: artifacts)
set -u
depot=${1:?usage: ci.sh DEPOT}
verbatim=${VERBATIM:-verbatim}
artifacts=${ARTIFACTS:-artifacts}
port=${PORT:-18515}
mkdir -p "$artifacts"

# Every command has its limit: what hangs is a failure too.
soft() {
	exec timeout -k 5 20 "$verbatim" exec -- "$@"
}

# run NAME [FAULTS]: server and client; sets server_rc and client_rc.  What
# they said and what the client sent and received is in $artifacts/NAME.*.
run() {
	local server said line
	name=$1
	said=$artifacts/$name.server
	exec {out}< <(soft "$depot" -d soft0 -g 0 -p "$port" 2>&1)
	server=$!
	read -r line <&"$out" # "depot: waiting"
	echo "$line" >"$said"
	(
		export SOFT_FAULTS=${2-} SOFT_PCAP=$artifacts/$name.pcapng
		soft "$depot" -d soft0 -g 0 -p "$port" -c 127.0.0.1
	) >"$artifacts/$name.client" 2>&1
	client_rc=$?
	cat <&"$out" >>"$said"
	exec {out}<&-
	wait $server
	server_rc=$?
}

# expect RC PATTERN: the client's exit status, and a line that it says.
expect() {
	if [ $client_rc = "$1" ] && [ $server_rc = "$1" ] &&
		grep -q -- "$2" "$artifacts/$name.client"; then
		echo "passed: $name"
		rm "$artifacts/$name".*
		return
	fi
	echo "failed: $name: client $client_rc, server $server_rc; see $artifacts/$name.*"
	failed=1
}

failed=0
# 1. It works.
run sound
expect 0 '^depot: 16 blocks of 65536 bytes there and back'

# 2. A bad network makes it slow, never wrong, and it did lose packets.
run loss 'drop:dir=any,rate=0.01,seed=7'
expect 0 '^completer_retry_err [1-9]'

# 3. Nothing comes back: it ends, and says why; so does the server.
run silence 'drop:dir=rx'
expect 1 'transport retry counter exceeded'

# 4. The answer to one READ in the middle is lost once.
run lost-read 'drop:dir=rx,op=RC_READ_RESP_FIRST,nth=9'
expect 0 '^depot: 16 blocks of 65536 bytes there and back'
exit $failed
