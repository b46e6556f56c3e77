/* SPDX-License-Identifier: MIT */
/* sched.d - CPUs: cpuinfo_t, translated from the number of one, and curcpu for the one that the probe fired on. */
#pragma D depends_on library procfs.d

/* pi_state of processor_info_t */
inline int P_OFFLINE = 1;
inline int P_ONLINE = 2;
inline int P_STATUS = 3;
inline int P_FAULTED = 4;
inline int P_POWEROFF = 5;
inline int P_NOINTR = 6;
inline int P_SPARE = 7;

typedef int chipid_t;

typedef struct processor_info {
	int pi_state;			/* P_ONLINE: what fires probes is */
	char pi_processor_type[16];
	char pi_fputypes[32];		/* empty: it is part of the processor */
	int pi_clock;			/* MHz */
} processor_info_t;

typedef struct cpuinfo {
	processorid_t cpu_id;		/* its number */
	psetid_t cpu_pset;
	chipid_t cpu_chip;		/* package that it is in */
	int cpu_lgrp;			/* memory node that it is nearest to */
	processor_info_t cpu_info;
} cpuinfo_t;

/* The package, as far as the kernel's description of the CPU has it. */
inline chipid_t cpu_chip_of[uintptr_t info] =
    __exists(((struct cpuinfo_x86 *)info)->topo.pkg_id) ? (chipid_t)((struct cpuinfo_x86 *)info)->topo.pkg_id :
    (chipid_t)((struct cpuinfo_x86 *)info)->phys_proc_id;

inline processor_info_t *cpu_info_set[processor_info_t *p, int clock] =
    (p->pi_state = P_ONLINE,
    p->pi_processor_type[0] = 'x', p->pi_processor_type[1] = '8', p->pi_processor_type[2] = '6',
    p->pi_processor_type[3] = '\0', p->pi_fputypes[0] = '\0', p->pi_clock = clock, p);

/* A CPU's queue of threads has its number. */
translator cpuinfo_t < struct rq *Q > {
	cpu_id = Q->cpu;
	cpu_pset = 0;
	cpu_chip = __exists(cpu_chip_of[(uintptr_t)&`cpu_info]) ?
	    cpu_chip_of[cpu_object[(uintptr_t)&`cpu_info, Q->cpu]] : 0;
	cpu_lgrp = __exists(&`numa_node) ? *(int *)cpu_object[(uintptr_t)&`numa_node, Q->cpu] : 0;
	cpu_info = *cpu_info_set[(processor_info_t *)alloca(sizeof (processor_info_t)),
	    __exists(&`cpu_khz) ? (int)(*(uint32_t *)&`cpu_khz / 1000) : 0];
};

translator cpuinfo_t < int C > {
	cpu_id = C;
	/* Linux has no sets of processors. */
	cpu_pset = 0;
	cpu_chip = __exists(cpu_chip_of[(uintptr_t)&`cpu_info]) ?
	    cpu_chip_of[cpu_object[(uintptr_t)&`cpu_info, C]] : 0;
	cpu_lgrp = __exists(&`numa_node) ? *(int *)cpu_object[(uintptr_t)&`numa_node, C] : 0;
	cpu_info = *cpu_info_set[(processor_info_t *)alloca(sizeof (processor_info_t)),
	    __exists(&`cpu_khz) ? (int)(*(uint32_t *)&`cpu_khz / 1000) : 0];
};

inline cpuinfo_t *curcpu = xlate <cpuinfo_t *> (cpu);
#pragma D attributes Stable/Stable/Common curcpu
