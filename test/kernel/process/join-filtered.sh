# SPDX-License-Identifier: MIT
# @@worlds: user the module makes no system calls in processes
# Processes whose system calls are filtered. dtrace does not join a process if one or all threads have a filter that dtrace
# lacks: it makes no system call there. In a container, dtrace and all processes have the same filter.
. ./_join.sh
for how in allow EPERM trap kill; do
	echo "-- $how"
	launch victim filter $how
	refused
done
mkfifo "$T/in"
# thread_ends - let the filtered thread end.
thread_ends()
{
	echo >&8
	await eval '! grep -q "^Seccomp:.[12]" /proc/$V/task/*/status'
}
for how in kill strict; do
	echo "-- in one thread: $how"
	victim thread filter $how read fire 2 say "the thread lives" leave end tell "$T/up" wait "$T/go" fire 3 say "it lives" leave <"$T/in" &
	VICTIM=$!
	exec 8>"$T/in"
	read -r V <"$T/up"
	await grep -q '^Seccomp:.[12]' /proc/"$V"/task/*/status
	THEN=thread_ends refused
	exec 8>&-
done
echo "-- found by a pattern"
launch victim filter kill
dtrace -qn 'BEGIN { exit(0); } victim*:::tick' 2>&1 | sed -e "s/\b$V\b/PID/g" -e /^$/d
finished

for how in allow container; do
	echo "-- where all are filtered: $how"
	victim filter $how run dtrace -q -c 'victim fire 3' -n 'pid$target::fire_tick:entry { @ = count(); }' -n 'END { printa("%@d entries\n", @); }' 2>&1 | sed /^$/d
	victim filter $how run sh -c '. ./_join.sh; launch victim; traced'
	echo "-- and one more than dtrace"
	victim filter $how run sh -c '. ./_join.sh; launch victim filter kill; refused'
done
export ASAN_OPTIONS=detect_leaks=0 # LeakSanitizer needs ptrace()
for how in ptrace pidfd; do
	echo "-- where all are filtered, dtrace too much: $how"
	victim filter $how run dtrace -q -c 'victim fire 3' -n "$TICKS" 2>&1
	victim filter $how run sh -c '. ./_join.sh; launch victim; refused'
done
echo "-- memory files"
victim filter memfd run dtrace -q -c 'victim fire 3' -n "$TICKS" 2>&1
echo "-- perf events"
victim filter perf run dtrace -q -c 'victim fire 3' -n "$TICKS" 2>&1
victim filter perf run dtrace -qn 'profile-97 { exit(0); }' 2>&1
echo "-- others with as many filters"
launch victim filter allow
victim filter allow run dtrace -q -p $V -n "$TICKS" 2>&1 | sed -e "s/\b$V\b/PID/g" -e /^$/d
finished
