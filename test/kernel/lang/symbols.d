/* SPDX-License-Identifier: MIT */
/* @@worlds: kernel symbols of the kernel */
/* @@needs: types */
/* Per-CPU variables are those of the CPU that the clause runs on; variables of other kernels have a meaning. */
#pragma D option quiet
BEGIN
{
	printf("%d %d\n", `runqueues.cpu == cpu, &`runqueues == &`runqueues);
	printf("%d\n", `runqueues.curr == curthread);
	printf("%d\n", `hp_avenrun[0] == (int)(`avenrun[0] * 32));
	printf("%d %d\n", `freemem > 0 && `freemem < `physmem, unix`physmem > 1000);
	printf("%d %d\n", `_pagesize, `freemem * (`_pagesize / 1024) > 0 && `availrmem > 0);
	printf("%d %d\n", `k_anoninfo.ani_max - `k_anoninfo.ani_phys_resv - `k_anoninfo.ani_mem_resv == `k_anoninfo.ani_free,
	    `nswapped + (int)`swapfs_minfree);
	printf("%d %d %d\n", `ncpus, `nCPU, `max_ncpus);
	printf("%d %d\n", `jiffies - `lbolt < 2, `hz);
	printf("%s %s %d\n", stringof(`utsname.sysname), `ostype, `osrelease == stringof(`utsname.release));
	printf("%d %d\n", `nproc > 10, `p0.pid);
	exit(0);
}
