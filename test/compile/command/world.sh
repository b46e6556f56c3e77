# SPDX-License-Identifier: MIT
# The world of processes: dtrace runs the program itself; what needs the kernel module is refused with a hint.
d()
{
	dtrace -x world=user -q "$@" 2>&1
	echo "status $?"
}
d -n 'BEGIN { n = 1; self->x = "BEGIN"; @[self->x] = count(); exit(3); } END { printf("%d\n", n + 1); }'
d -n 'tick-10ms { n++; @ = sum(n); } tick-10ms /n == 3/ { exit(0); } END { printf("%d %s\n", n, probename); }'
d -x cpu=0 -n 'tick-10ms { printf("cpu %d\n", cpu); exit(0); }'
d -n 'BEGIN { spec = speculation(); } BEGIN { speculate(spec); printf("kept\n"); } BEGIN { commit(spec); } tick-10ms { exit(0); }'
d -w -n 'BEGIN { system("echo done by a shell"); exit(0); }'
d -n 'BEGIN { printf("%d\n", *(int *)0); } BEGIN { exit(0); }'
# Five ticks of 50 ms are not told sooner than that.
begun=$(date +%s%N)
d -n 'tick-50ms { n++; } tick-50ms /n == 5/ { exit(0); }'
[ $(($(date +%s%N) - begun)) -ge 250000000 ] && echo as long as that
for clause in 'BEGIN { x = curthread; }' 'BEGIN { x = caller; }' 'BEGIN { stack(); }' 'BEGIN { x = getf(0); }' 'BEGIN { panic(); }' \
	'syscall::read:entry' 'sycall::read:entry'; do
	d -n "$clause"
done
# -Z waits for processes, but not for the module.
d -Z -n 'syscall::read:entry'
d -Z -n 'BEGIN { exit(0); }' -n 'app*:::hit, fbt::vfs_read:entry { @ = count(); }'
d -Z -n 'sys*:::hit, app*:::hit { @ = count(); } BEGIN { exit(0); }'
d -Zl -n 'syscall:::'
d -l -n 'syscall:::'
# (What else runs is named too.)
d -n 'app*:::hit' | sed 's/there are .*; -Z/there are OTHERS; -Z/'
d -x world=moon -n BEGIN
d -n '#pragma D option world=kernel
BEGIN'
DTRACE_OPT_WORLD=user dtrace -qn 'BEGIN { printf("by the environment\n"); exit(0); }'
d -l -n tick-7 | sed 's/^ *[0-9]* /ID /'
