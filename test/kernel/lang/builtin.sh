# SPDX-License-Identifier: MIT
# @@worlds: kernel ipl is a state of the kernel
# Built-in variables have the values of the traced process.
. ../_lib.sh
start victim fire 1
trace -x argref -n '
victim*:::tick
{
	printf("%d %d %s %d %d\n", pid, tid, execname, uid, gid);
	printf("%s:%s:%s:%s\n", probeprov, probemod, probefunc, probename);
	printf("%d %d %d\n", ppid == $1, cpu == 0 || cpu == 1, errno);
	printf("%d %d\n", timestamp > 0, walltimestamp > 1000000000000000000);
	printf("%d %d %d\n", id > 0, epid > 0, vtimestamp > 0);
	printf("%s %d\n", zonename, ipl);
}' $$
finish
untrace
