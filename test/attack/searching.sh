# SPDX-License-Identifier: MIT
# A user's first session of vminfo, or of fbt, searches the kernel. Meanwhile other sessions of the user begin and end, and modules come and
# go. The session can be killed, and so can one that waits for it: the next one searches anew.
# @@kernels: 6.1 6.12
# @@modules: brd
# @@timeout: 300
. ./_lib.sh
policy "user user dtrace_kernel"

# searches - whether the first session searches: it shares its processor, so that its stack can be read while it does not run.
searches()
{
	tries=50 stack=
	while [ $tries -gt 0 ] && alive $first; do
		stack=$(cat /proc/$first/stack 2>/dev/null)
		[ "$stack" ] && break
		usleep 10000
		tries=$((tries - 1))
	done
	case $stack in *"$function"*) return 0 ;; esac
	return 1
}

# meanwhile WHAT COMMAND... - run a command, and print whether it ends while the first session searches.
meanwhile()
{
	what=$1
	shift
	"$@" >"$T/out" 2>&1 &
	other=$!
	while alive $other; do
		usleep 50000
	done
	searches && echo "$what" || echo "not meanwhile: $what"
	wait $other || cat "$T/out"
}
begins_and_ends() { user "dtrace -qn 'syscall::read: { @ = count(); } tick-10ms { exit(0); }'"; }
come_and_go()
{
	modprobe brd || return 1
	until rmmod brd 2>/dev/null; do
		usleep 10000 # the search may be at it
	done
}
waits() { grep -q "$wait" /proc/$second/stack; }

# reload - load dtrace anew, which then has not searched.
reload()
{
	rmmod dtrace
	insmod /vm/dtrace.ko
	dtrace-policy
}
# search DESCRIPTION FUNCTION WAIT - begin a session that searches. FUNCTION is in its stack while it does so, and WAIT in that of one
# that waits for it.
search()
{
	function=$2 wait=$3
	echo "$1"
	reload
	taskset 1 sh -c 'while :; do :; done' &
	busy=$!
	su user -c "exec taskset 1 dtrace -qn '$1, tick-10ms { exit(0); }'" >"$T/first" 2>&1 &
	first=$!
	await searches
	renice -n 19 $first >/dev/null
	meanwhile "a session has begun and ended" begins_and_ends
	meanwhile "modules have come and gone" come_and_go
	taskset 2 dtrace -qn "$1, tick-10ms { exit(0); }" >"$T/second" 2>&1 &
	second=$!
	await waits
	echo "one that waits: $(dies $second)"
	searches && echo "the first session still searches"
	kill $busy
	wait $busy 2>/dev/null
	echo "the first: $(dies $first)"
	dtrace -qn "$1, BEGIN { exit(0); }" >/dev/null && echo "another session traces"
}
instructions() { awk '$1 == "counters-instr" { print $2 }' /proc/dtrace/stats; }
search vminfo::: text_each counter_prepare
after=$(instructions)
reload
dtrace -ln vminfo::: >/dev/null
[ "$after" -gt 100 ] && [ "$after" = "$(instructions)" ] && echo "and has found all instructions"
search fbt::vfs_read: fbt_list_kernel fbt_prepare
