# SPDX-License-Identifier: MIT
# @@worlds: user the module needs neither files in memory nor /proc
# Settings of root that forbid executable files in memory (vm.memfd_noexec, Linux 6.3), and hide the processes of other users
# in /proc (hidepid): dtrace traces the processes of its user as without them.
command -v rooted >/dev/null || { echo "no root here: test/run --kernel user@6.12 kernel/process/join-settings.sh"; exit 77; }
. ./_join.sh
# as_root COMMAND - run a command of the shell as root.
as_root() { rooted uid 0 run sh -c "$1"; }

# all_ways - trace a process by its number, by a pattern, from its start, and a later one.
all_ways()
{
	launch victim
	traced
	launch victim
	trace -n 'victim*:::tick { @ = count(); } END { printa("%@d ticks\n", @); }'
	victim fire 2
	finished
	untrace
	dtrace -q -c 'victim fire 3' -n "$TICKS" | sed '/^$/d'
}

echo "-- memfd_noexec"
noexec=/proc/sys/vm/memfd_noexec
[ -e $noexec ] && as_root "echo 2 >$noexec"
all_ways
[ -e $noexec ] && as_root "echo 0 >$noexec"

echo "-- hidepid"
as_root 'mount -o remount,hidepid=2 /proc'
ls /proc/1 >/dev/null 2>&1 && echo "process 1 is not hidden"
all_ways
as_root 'mount -o remount,hidepid=0 /proc'
