// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * port.c - the engine's port for the kernel: memory, CPUs, time, the current thread, safe
 * loads, actions.
 *
 * Everything that runs in probe context takes no lock that what was interrupted may hold: no
 * task_lock, siglock, mmap_lock, run queue lock. What needs one (signals, waking) is left to an
 * irq_work, which runs as soon as interrupts are on again; it is not a "hard" one, so that on
 * PREEMPT_RT it may take sleeping locks.
 */
#include <linux/cpu.h>
#include <linux/cred.h>
#include <linux/irq_work.h>
#include <linux/kgdb.h>
#include <linux/mm.h>
#include <linux/nsproxy.h>
#include <linux/percpu.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/random.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/clock.h>
#include <linux/sched/signal.h>
#include <linux/sched/task_stack.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/timekeeping.h>
#include <linux/topology.h>
#include <linux/uaccess.h>
#include <linux/utsname.h>
#include <linux/vmalloc.h>

#include "engine.h"
#include "dev/permission.h"
#include "port.h"
#include "providers/provider.h"

/* ---- memory ---- */

#define PORT_GFP	(GFP_KERNEL_ACCOUNT | __GFP_ZERO | __GFP_NOWARN | __GFP_RETRY_MAYFAIL)
#define PORT_ALWAYS_FITS (1 << 20)	/* bytes */

/*
 * Does it leave the machine at least half of what it has free? To find out by trying takes seconds
 * and the page cache.
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
	/* kvmalloc takes sizes above INT_MAX for a mistake of its caller. */
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

void port_free(void *p)
{
	kvfree(p);
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

void port_xcall(unsigned int cpu, void (*fn)(void *arg), void *arg)
{
	cpus_read_lock();	/* no CPU comes or goes meanwhile */
	if (cpu_online(cpu)) {
		smp_call_function_single(cpu, fn, arg, 1);
	} else {
		local_irq_disable();
		fn(arg);
		local_irq_enable();
	}
	cpus_read_unlock();
}

int port_relax(void)
{
	cond_resched();
	return fatal_signal_pending(current) ? -EINTR : 0;
}

void port_grace_period(void)
{
	/* A firing has interrupts off, which this waits for like for any reader. */
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

/*
 * The scheduler's account is brought up to date at ticks and switches; what has passed since is
 * added. Where the scheduler leaves out time stolen by interrupts or a hypervisor, its clock lags
 * behind, and the result is ahead by what was stolen on this CPU in all: differences stay right
 * while the thread stays on a CPU.
 */
uint64_t port_vtimestamp(void)
{
	const struct sched_entity *se = &current->se;
	s64 since = sched_clock_cpu(raw_smp_processor_id()) - READ_ONCE(se->exec_start);

	return READ_ONCE(se->sum_exec_runtime) + max_t(s64, since, 0);
}

/* ---- memory of others ---- */

/*
 * Does the current thread have an address space of its own? A kernel thread may have borrowed one.
 */
static bool user_thread(void)
{
	return current->mm && !(current->flags & PF_KTHREAD);
}

int port_load_kernel(void *dst, uint64_t addr, size_t n)
{
	/*
	 * It refuses user and non-canonical addresses itself, and wrapping ranges are caught here.
	 */
	if (addr + n < addr)
		return -EFAULT;
	return copy_from_kernel_nofault(dst, (const void *)(unsigned long)addr, n) ? -EFAULT : 0;
}

int port_load_user(void *dst, uint64_t addr, size_t n)
{
	if (!user_thread() || addr + n < addr)
		return -EFAULT;
	if (copy_from_user_nofault(dst, (const void __user *)(unsigned long)addr, n))
		return -EFAULT;
	return 0;
}

int port_store_user(uint64_t addr, const void *src, size_t n)
{
	if (!user_thread() || addr + n < addr)
		return -EFAULT;
	return copy_to_user_nofault((void __user *)(unsigned long)addr, src, n) ? -EFAULT : 0;
}

int port_user_word(void)
{
	return user_thread() && !user_64bit_mode(task_pt_regs(current)) ? 4 : 8;
}

const struct dtrace_helpers *port_helpers(void)
{
	return user_thread() ? providers_helpers(current->mm) : NULL;
}

/* ---- the current thread ---- */

/* An address is given to another thread when its own has ended, but no two are born there at the same time. */
void port_thread(struct port_thread *t)
{
	t->thread = (uintptr_t)current;
	t->key = (uintptr_t)current;
	t->born = current->start_boottime;
	t->pid = current->tgid;
	t->tid = current->pid;
	rcu_read_lock();
	t->ppid = rcu_dereference(current->real_parent)->tgid;
	rcu_read_unlock();
	t->uid = from_kuid_munged(&init_user_ns, current_uid());
	t->gid = from_kgid_munged(&init_user_ns, current_gid());
}

static struct pid_namespace *pid_ns_or_first(const void *pid_ns)
{
	return pid_ns ? (struct pid_namespace *)pid_ns : &init_pid_ns;
}

/* The thread's real credentials, not those that it has taken on for a while to act for another. */
bool port_owns(const struct dtrace_cred *cred)
{
	return user_thread() && permission_owns(cred->who, current_real_cred(), current->mm) &&
	       (!cred->pid_ns || task_tgid_nr_ns(current, pid_ns_or_first(cred->pid_ns)));
}

void port_execname(char *buf, size_t size)
{
	size_t i;

	/*
	 * Not get_task_comm(), which takes a lock; a name that is being changed may come out
	 * mixed.
	 */
	for (i = 0; i + 1 < size && i < TASK_COMM_LEN; i++) {
		buf[i] = READ_ONCE(current->comm[i]);
		if (!buf[i])
			return;
	}
	if (size)
		buf[i] = '\0';
}

/* Bounds that change meanwhile lead to other bytes of the process, or to none. */
size_t port_args(char *buf, size_t size)
{
	unsigned long start, end;

	if (!user_thread())
		return 0;
	start = READ_ONCE(current->mm->arg_start);
	end = READ_ONCE(current->mm->arg_end);
	if (end <= start)
		return 0;
	size = min_t(size_t, size, end - start);
	return port_load_user(buf, start, size) ? 0 : size;
}

/* A thread gives up its namespaces when it exits; nobody else changes them. */
void port_zone(struct port_zone *z)
{
	const struct pid_namespace *pids = task_active_pid_ns(current);
	const struct nsproxy *ns = READ_ONCE(current->nsproxy);

	z->id = pids && pids != &init_pid_ns ? pids->ns.inum : 0;
	if (ns)
		snprintf(z->name, sizeof(z->name), "%.64s", ns->uts_ns->name.nodename);
	else
		snprintf(z->name, sizeof(z->name), "%u", z->id);
}

#define PROGENY_DEPTH	4096	/* generations that port_progenyof looks back */

void port_thread_in_ns(const void *pid_ns, struct port_thread *t)
{
	struct pid_namespace *ns = pid_ns_or_first(pid_ns);

	t->pid = task_tgid_nr_ns(current, ns);
	t->tid = task_pid_nr_ns(current, ns);
	rcu_read_lock();
	t->ppid = task_tgid_nr_ns(rcu_dereference(current->real_parent), ns);
	rcu_read_unlock();
}

bool port_progenyof(const void *pid_ns, uint32_t pid)
{
	struct pid_namespace *ns = pid_ns_or_first(pid_ns);
	const struct task_struct *task;
	unsigned int depth = 0;
	bool found = false;

	rcu_read_lock();
	for (task = current; task->pid && depth < PROGENY_DEPTH && !found; depth++) {
		found = pid && task_tgid_nr_ns((struct task_struct *)task, ns) == pid;
		task = rcu_dereference(task->real_parent);
	}
	rcu_read_unlock();
	return found;
}

unsigned int port_ipl(void)
{
	if (in_nmi())
		return 3;
	if (in_hardirq())
		return 2;
	return in_serving_softirq() ? 1 : 0;
}

/* ---- signals ---- */

#define SIGNALS_PER_CPU	16	/* signals that may wait for interrupts to come on */

struct port_signals {
	struct irq_work work;
	unsigned int n;
	struct {
		struct pid *pid;
		int sig;
	} queue[SIGNALS_PER_CPU];
};

/* Touched by its own CPU only, with interrupts off. */
static DEFINE_PER_CPU(struct port_signals, port_signals);

static bool signals_take(struct port_signals *s, struct pid **pid, int *sig)
{
	unsigned long flags;
	bool any;

	local_irq_save(flags);
	any = s->n > 0;
	if (any) {
		s->n--;
		*pid = s->queue[s->n].pid;
		*sig = s->queue[s->n].sig;
	}
	local_irq_restore(flags);
	return any;
}

static void signals_send(struct irq_work *work)
{
	struct port_signals *s = container_of(work, struct port_signals, work);
	struct pid *pid;
	int sig;

	while (signals_take(s, &pid, &sig)) {
		kill_pid(pid, sig, 1);
		put_pid(pid);
	}
}

int port_raise(unsigned int sig)
{
	struct port_signals *s = this_cpu_ptr(&port_signals);

	if (!user_thread() || is_global_init(current))
		return -EPERM;
	if (!valid_signal(sig) || !sig)
		return -EINVAL;
	if (s->n == SIGNALS_PER_CPU)
		return -EAGAIN;
	s->queue[s->n].pid = get_pid(task_tgid(current));
	s->queue[s->n].sig = sig;
	s->n++;
	irq_work_queue(&s->work);
	return 0;
}

int port_stop(void)
{
	return port_raise(SIGSTOP);
}

static void port_signals_init(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		init_irq_work(&per_cpu(port_signals, cpu).work, signals_send);
}

static void port_signals_exit(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		irq_work_sync(&per_cpu(port_signals, cpu).work);
}

/* ---- other destructive actions ---- */

static void breakpoint_log(struct irq_work *work)
{
	pr_warn_ratelimited("dtrace: breakpoint() did nothing: no kernel debugger is connected\n");
}

static DEFINE_IRQ_WORK(breakpoint_work, breakpoint_log);

/* With nobody to take it, a breakpoint would be fatal. */
void port_breakpoint(void)
{
#ifdef CONFIG_KGDB
	if (kgdb_connected) {
		kgdb_breakpoint();
		return;
	}
#endif
	irq_work_queue(&breakpoint_work);
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
 * xorshift64*: the kernel's own generators take locks. In any context; two that meet may get the
 * same number.
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
	port_signals_init();
	port_random_init();
	return 0;
}

void port_exit(void)
{
	port_signals_exit();
	irq_work_sync(&breakpoint_work);
}
