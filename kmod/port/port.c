// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * port.c - the run time of the engine in the kernel: memory, CPUs, time, random numbers.
 */
#include <linux/cpu.h>
#include <linux/ktime.h>
#include <linux/memcontrol.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/random.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/clock.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/timekeeping.h>
#include <linux/topology.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>
#include <linux/workqueue.h>

#include "port.h"
#include "signal.h"

/* ---- memory ---- */

#define PORT_GFP	 (GFP_KERNEL_ACCOUNT | __GFP_ZERO | __GFP_NOWARN | __GFP_RETRY_MAYFAIL)
#define PORT_ALWAYS_FITS (1 << 20) /* bytes */

/*
 * Return whether size bytes leave the machine at least half of its free memory. To find out by
 * allocating takes seconds, and empties the page cache.
 */
static bool port_fits(size_t size)
{
	return size <= PORT_ALWAYS_FITS ||
	       size / PAGE_SIZE <= (unsigned long)si_mem_available() / 2;
}

void *port_alloc_cpu(size_t size, unsigned int cpu)
{
	if (!port_fits(size))
		return NULL;
	/* kvmalloc() warns of sizes above INT_MAX. */
	if (size > INT_MAX)
		return __vmalloc(size, PORT_GFP);
	return kvmalloc_node(size, PORT_GFP, cpu_possible(cpu) ? cpu_to_node(cpu) : NUMA_NO_NODE);
}

void *port_alloc(size_t size)
{
	if (!port_fits(size))
		return NULL;
	if (size > INT_MAX)
		return __vmalloc(size, PORT_GFP);
	return kvmalloc(size, PORT_GFP);
}

/*
 * The control group at the root, which charges nobody: NULL if the kernel has none. Set once, when
 * the module begins.
 */
static struct mem_cgroup *port_root_group;

/* Find the root's group, which is that of threads of the kernel. Worker. */
static void port_find_root_group(struct work_struct *work)
{
	port_root_group = get_mem_cgroup_from_mm(NULL);
}

static DECLARE_WORK(port_root_group_work, port_find_root_group);

void *port_uncharged_begin(void)
{
	return set_active_memcg(port_root_group);
}

void port_uncharged_end(void *before)
{
	set_active_memcg(before);
}

void port_free(void *p)
{
	kvfree(p);
}

int port_copy_in(void *dst, uint64_t from, size_t n)
{
	return copy_from_user(dst, u64_to_user_ptr(from), n) ? -EFAULT : 0;
}

int port_copy_out(uint64_t to, const void *src, size_t n)
{
	return copy_to_user(u64_to_user_ptr(to), src, n) ? -EFAULT : 0;
}

uint64_t port_memory(void)
{
	return (uint64_t)totalram_pages() << PAGE_SHIFT;
}

/* ---- CPUs ---- */

unsigned int port_ncpus(void)
{
	return nr_cpu_ids;
}

bool port_cpu_online(unsigned int cpu)
{
	return cpu < nr_cpu_ids && cpu_online(cpu);
}

bool port_xcall(unsigned int cpu, void (*fn)(void *arg), void *arg)
{
	cpus_read_lock(); /* the CPU stays online, or offline */
	if (cpu_online(cpu)) {
		smp_call_function_single(cpu, fn, arg, 1);
	} else {
		local_irq_disable();
		fn(arg);
		local_irq_enable();
	}
	cpus_read_unlock();
	return true;
}

int port_relax(void)
{
	cond_resched();
	return fatal_signal_pending(current) ? -EINTR : 0;
}

int port_rest(uint64_t ns)
{
	schedule_timeout_killable((long)nsecs_to_jiffies(ns) + 1);
	return port_relax();
}

void port_grace_period(void)
{
	/* A firing has interrupts off, and so is an RCU reader. */
	synchronize_rcu();
}

/* ---- time ---- */

uint64_t port_timestamp(void)
{
	return ktime_get_mono_fast_ns();
}

uint64_t port_walltimestamp(void)
{
	return ktime_get_real_fast_ns();
}

uint64_t port_firing_time(void)
{
	return sched_clock_cpu(raw_smp_processor_id());
}

/*
 * The scheduler updates its account of the thread at ticks and switches; add the time since then.
 * If the scheduler leaves out time that interrupts or a hypervisor have stolen, its clock lags
 * behind, and the result is ahead by the time stolen on this CPU. Differences are right while the
 * thread stays on one CPU. It has no account of the CPUs' idle threads, whose process ID is 0: they
 * have the clock of their CPU.
 */
uint64_t port_vtimestamp(uint64_t now)
{
	const struct sched_entity *se = &current->se;
	s64 since = (s64)(now - READ_ONCE(se->exec_start));

	if (!current->pid)
		return now;
	return READ_ONCE(se->sum_exec_runtime) + max_t(s64, since, 0);
}

void port_delay(uint64_t ns)
{
	uint64_t start = ktime_get_mono_fast_ns();

	while (ktime_get_mono_fast_ns() - start < ns)
		cpu_relax();
}

/* ---- random numbers ---- */

static DEFINE_PER_CPU(uint64_t, port_seed);

/*
 * Return the next number of xorshift64*, since the kernel's generators take locks. Two callers on
 * one CPU, one of which has interrupted the other, may get the same number.
 */
uint64_t port_random(void)
{
	uint64_t x = raw_cpu_read(port_seed);

	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	raw_cpu_write(port_seed, x);
	return x * 0x2545f4914f6cdd1dULL;
}

void port_secret(void *p, size_t n)
{
	get_random_bytes(p, n);
}

static void port_random_init(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		per_cpu(port_seed, cpu) = get_random_u64() | 1;
}

/* ---- start and end ---- */

int port_init(void)
{
	signal_init();
	port_random_init();
	schedule_work(&port_root_group_work);
	flush_work(&port_root_group_work);
	return 0;
}

void port_exit(void)
{
	signal_exit();
}
