# SPDX-License-Identifier: MIT
# One user's registrations and D programs must not keep another user's programs from starting. Instrumented programs of the other user
# start in at most four times the time that they take beside as many programs that only use a processor.
# @@long: yes
# @@kernels: 6.1 6.12
# @@timeout: 90
. ./_lib.sh
policy 'user user dtrace_user dtrace_proc'
other="become groups 1001 gid 1001 uid 1001 run"

# beside NAME COMMAND... - set $took to the time that the other user's program takes to start and end while the user runs the command
# twice; $CPU is another processor for each.
beside()
{
	what=$1
	shift
	: >"$T/$what"
	pids=
	for cpu in 0 1; do
		CPU=$cpu become groups 1000 gid 1000 uid 1000 run "$@" >>"$T/$what" 2>&1 &
		pids="$pids $!"
	done
	await eval '[ "$(grep -c go "$T/'"$what"'")" = 2 ]' || cat "$T/$what"
	$other attack-latency measure 15 victim fire 1 >"$T/took" || cat "$T/$what"
	read -r took <"$T/took"
	kill -KILL $pids
	wait $pids 2>/dev/null
	echo "$what: $took us" >/dev/kmsg
}

# judge NAME - print whether $took is at most four times $hogs, the time beside the hogs; about twice is normal.
judge()
{
	[ "$took" -le $((4 * hogs)) ] && echo "$1: other users start programs as ever" || echo "$1: $took us, beside hogs $hogs us"
}

beside hogs attack-latency hog
hogs=$took
beside flood attack-latency flood
judge flood
# 5,000 times a second on each processor, in any process: make strings of 8 KiB, and search each without success.
double='this->s = strjoin(this->s, this->s);'
search="tick-4999 { this->s = \"aaaaaaaaaaaaaaaa\"; $double $double $double $double $double $double $double $double $double
	@ = sum(index(this->s, strjoin(this->s, \"b\"))); }"
beside program sh -c 'exec dtrace -q -x cpu=$CPU -x strsize=8k -n "$0"' "BEGIN { printf(\"go\\n\"); } $search $search $search $search $search $search $search $search"
judge program
