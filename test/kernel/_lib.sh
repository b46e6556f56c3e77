# SPDX-License-Identifier: MIT
# _lib.sh - functions of the kernel cases. A case reads it with `. ../_lib.sh`; $T is its private
# directory.

# await COMMAND... - run a command every 50 ms until it succeeds; give up after a minute. On the
# debug kernel, where commands take long, run it less often, for four minutes.
await()
{
	tries=0
	[ "$KERNEL" = debug ] && pause=200000 || pause=50000
	until "$@" >/dev/null 2>&1; do
		tries=$((tries + 1))
		if [ $tries -gt 1200 ]; then
			echo "waited in vain for: $*"
			return 1
		fi
		usleep $pause
	done
}

# pipes NAME... - make FIFOs $T/NAME, by which victims and cases wait for each other.
pipes()
{
	for pipe in "$@"; do
		mkfifo "$T/$pipe"
	done
}

# start PROGRAM VERB... - start a victim that first writes its pid and waits for release; set $V.
start()
{
	program=$1
	shift
	[ -p "$T/up" ] || pipes up go
	"$program" tell "$T/up" wait "$T/go" "$@" &
	read -r V <"$T/up"
}

# write_line PIPE - write a line into a pipe when it has a reader. A subshell opens the pipe: SIGCHLD
# interrupts an open of the shell itself when a child stops or goes on.
write_line()
{
	(echo go >"$1")
}

# release - let the victim go on.
release()
{
	write_line "$T/go"
}

# finish - let the victim go on and wait for its end.
finish()
{
	release
	wait "$V"
}

# is_tracing SESSION FILE - whether FILE shows that a session traces, or the session has ended. It
# forks no process, which would delay the session on a slow kernel.
is_tracing()
{
	kill -0 "$1" || return 0
	while read -r line; do
		case $line in *@tracing*) return 0 ;; esac
	done <"$2"
	return 1
}

# session NAME ARG... - run dtrace in the background, its output in $T/NAME.out and .err, and wait
# until it traces; sets $SESSION. $UNDER: words of a command that runs dtrace, or nothing.
session()
{
	session=$1
	shift
	rm -f "$T/$session.out"
	$UNDER dtrace -q -Z -x switchrate=20ms -n 'BEGIN { printf("@tracing\n"); }' "$@" \
		>"$T/$session.out" 2>"$T/$session.err" &
	SESSION=$!
	await is_tracing $SESSION "$T/$session.out"
	kill -0 $SESSION 2>/dev/null || cat "$T/$session.err"
}

# trace ARG... - start the session of most cases; set $TRACE.
trace()
{
	session trace "$@"
	TRACE=$SESSION
}

# unread COMMAND... - run a command while the session of trace is stopped, so that it frees no space in buffers.
unread()
{
	kill -STOP $TRACE
	"$@"
	kill -CONT $TRACE
}

# output [NAME] - print the output of dtrace, with the pids of the victim and of CHILD replaced.
output()
{
	sed -e /^@tracing/d -e /^$/d -e "s/${V:-none}/PID/g" -e "s/${CHILD:-none}/CHILD/g" \
		"$T/${1:-trace}.out" "$T/${1:-trace}.err"
}

# untrace - end dtrace by SIGTERM and show its output.
untrace()
{
	kill -TERM $TRACE
	wait $TRACE
	output
}

# rows FILE - print a file of /proc/dtrace without its header line; nothing in the user world.
rows()
{
	[ "$KERNEL" = user ] || tail -n +2 "/proc/dtrace/$1"
}

# sites - print how many locations are patched now, in all processes.
sites()
{
	rows fasttrap | wc -l
}

# load MODULE [NAME=VALUE]... - load a module of the kernel that the case names by @@modules. modprobe
# does not find one that is built in.
load()
{
	modprobe "$@" 2>/dev/null
}

# unload MODULE - unload it again, when it is not used any more.
unload()
{
	! grep -q "^$1 " /proc/modules || await rmmod "$1"
}
