/* SPDX-License-Identifier: MIT */
/*
 * symbols.d - variables of other kernels that scripts read: where Linux has no `NAME, __symbol_NAME stands for it.
 */

/* Load averages of 1, 5 and 15 minutes, times 65536. Linux' own `avenrun has them times 2048. */
inline int __symbol_hp_avenrun[int i] = (int)(`avenrun[i] << 5);

/* Memory, in pages: what is free, and all. */
inline long __symbol_freemem = `vm_zone_stat[`NR_FREE_PAGES].counter;
inline long __symbol_vm_page_free_count = `vm_zone_stat[`NR_FREE_PAGES].counter;
inline ulong_t __symbol_physmem = `_totalram_pages;
inline ulong_t __symbol_physinstalled = `_totalram_pages;
inline ulong_t __symbol_total_pages = `_totalram_pages;
inline ulong_t __symbol_maxmem = `_totalram_pages;

inline int __symbol__pagesize = 4096;
inline int __symbol__pageshift = 12;

/* Swap space, in pages. No process is swapped out as a whole, and no memory is kept back. */
struct k_anoninfo {
	ulong_t ani_max;		/* all */
	ulong_t ani_free;
	ulong_t ani_phys_resv;		/* in use */
	ulong_t ani_mem_resv;
	ulong_t ani_locked_swap;
};
inline struct k_anoninfo *symbol_swap[struct k_anoninfo *a] =
    (a->ani_max = (ulong_t)`total_swap_pages, a->ani_free = (ulong_t)`nr_swap_pages.counter,
    a->ani_phys_resv = a->ani_max - a->ani_free, a);
inline struct k_anoninfo __symbol_k_anoninfo =
    *symbol_swap[(struct k_anoninfo *)alloca(sizeof (struct k_anoninfo))];
inline long __symbol_availrmem = `vm_zone_stat[`NR_FREE_PAGES].counter;
inline long __symbol_swapfs_minfree = 0;
inline int __symbol_nswapped = 0;

/* CPUs: those that run, and those that there may be. */
inline int __symbol_ncpus = `__num_online_cpus.counter;
inline int __symbol_ncpus_online = `__num_online_cpus.counter;
inline int __symbol_nCPU = `__num_online_cpus.counter;
inline int __symbol_mp_ncpus = `__num_online_cpus.counter;
inline int __symbol_processor_count = `__num_online_cpus.counter;
inline int __symbol_real_ncpus = `__num_online_cpus.counter;
inline int __symbol_max_ncpus = `nr_cpu_ids;
inline int __symbol_mp_maxid = `nr_cpu_ids - 1;

/* Ticks of the clock, and how many of them a second has. */
inline ulong_t __symbol_lbolt = `jiffies;
inline ulong_t __symbol_lbolt64 = `jiffies_64;
inline int __symbol_ticks = (int)`jiffies;
inline int __symbol_hz = (int)((1000000000 + `tick_nsec / 2) / `tick_nsec);

/* Processes: how many threads there are and may be, and the first task. */
inline int __symbol_nproc = `nr_threads;
inline int __symbol_nprocs = `nr_threads;
inline int __symbol_max_nprocs = `max_threads;
inline int __symbol_maxproc = `max_threads;
inline int __symbol_maxpid = `pid_max;
inline struct task_struct __symbol_p0 = `init_task;
inline struct task_struct __symbol_proc0 = `init_task;

/* The machine's names. */
inline struct new_utsname __symbol_utsname = `init_uts_ns.name;
inline string __symbol_hostname = stringof(`init_uts_ns.name.nodename);
inline string __symbol_ostype = stringof(`init_uts_ns.name.sysname);
inline string __symbol_osrelease = stringof(`init_uts_ns.name.release);
