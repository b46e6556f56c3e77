# SPDX-License-Identifier: MIT
# Hundreds of threads of one user wait for the same lock, again and again. Other users wait for one of these threads, not for all.
# @@kernels: 6.1 6.12
# @@long: yes
# @@timeout: 480
. ./_lib.sh
seq 5000 5900 | sed 's/.*/uid & dtrace_proc/' >"$T/policy"
policy 'user user dtrace_proc dtrace_user' 'uid 1001 dtrace_proc' "$(cat "$T/policy")"
limit=/sys/module/dtrace/parameters/user_file_sites
other="become groups 1001 gid 1001 uid 1001 run"
own="become groups 1000 gid 1000 uid 1000 run"

# beside COMMAND... - set $took to the time that the other user's command takes now.
beside()
{
	$other attack-latency measure 15 "$@" >"$T/took" || cat "$T/queue"
	read -r took <"$T/took"
}

# judge QUEUE... -- COMMAND... - run the command beside two processes that use a processor, and beside the queue. Beside the queue it
# may take four times as long. The process with the queue must die when it is killed.
judge()
{
	queue=
	while [ "$1" != -- ]; do
		queue="$queue $1"
		shift
	done
	shift
	attack-latency hog >/dev/null &
	hog1=$!
	attack-latency hog >/dev/null &
	hog2=$!
	beside "$@"
	hogs=$took
	kill -KILL $hog1 $hog2
	: >"$T/queue"
	$own attack-queue $queue >"$T/queue" 2>&1 &
	stands=$!
	await grep -q . "$T/queue"
	grep -v '^go$' "$T/queue"
	beside "$@"
	echo "queue$queue: $* took $took us, beside hogs $hogs us" >/dev/kmsg
	[ "$took" -le $((4 * hogs)) ] && echo "$1: others go on as ever" || echo "$queue: $* took $took us, beside hogs $hogs us"
	dies $stands
}

judge failures 300 -- victim fire 1
judge listing 240 -- victim fire 1
judge unwind 200 -- attack-queue table
judge read 4 /proc/dtrace/security -- attack-queue open
judge read 4 /proc/dtrace/users -- victim fire 1
judge follow 1000 -- true
judge describe 300 -- victim fire 1
judge arguments 300 -- victim fire 1
memory=/sys/module/dtrace/parameters/user_registration_memory
before=$(cat $memory)
echo 33554432 >$memory
judge tables 200 -- attack-queue table
echo "$before" >$memory
