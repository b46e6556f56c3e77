/* args: -xbtfpath=TYPES -xnolibs */
/* SPDX-License-Identifier: MIT */
/* A per-CPU variable is that of the CPU: its symbol is an offset from where the CPU's own begin. */
extern struct list_head `percpu;

BEGIN
{
	trace(`percpu.next);
	trace(&`percpu);
}
