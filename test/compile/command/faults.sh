# SPDX-License-Identifier: MIT
# A fault names the line of its statement or predicate; one at an address of user land, what reads there.
cat >faults.d <<'END'
BEGIN
/ *(int *)0x10000 == 1 /
{
}

BEGIN
{
	printf("before\n");
	x = 5 /
	    zero++;
}

BEGIN { trace(*(int *)0x10000); }
BEGIN { trace(stringof((char *)0x10000)); }
BEGIN { trace(strlen((char *)0x10000)); }
BEGIN { trace(copyinstr(0x10000)); }
BEGIN { trace(*(int *)0); }
BEGIN { trace(*(int *)0xffffffff10000000); }
BEGIN { @[stringof((char *)0x10000)] = count(); }
BEGIN { exit(0); }
END
dtrace -qs faults.d
dtrace -qn 'BEGIN { trace(*(int *)0); exit(0); }' -n 'BEGIN { exit(0); }'
dtrace -qn '
BEGIN
{
	trace(*(int *)0);
}' -n 'BEGIN { exit(0); }'
dtrace -qn 'BEGIN { *(char *)0x10000 = 1; } BEGIN { bcopy("text", (void *)0x10000, 4); } BEGIN { exit(0); }'
