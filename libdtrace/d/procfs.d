/* SPDX-License-Identifier: MIT */
/*
 * procfs.d - processes and threads: psinfo_t and lwpsinfo_t, translated from the kernel's task, and curpsinfo and
 * curlwpsinfo for those of the thread that fired the probe. Process ids are those of the first namespace.
 */
#pragma D depends_on library unistd.d

/* pr_flag of lwpsinfo_t */
inline int PR_STOPPED = 0x00000001;	/* by a signal, or traced */
inline int PR_ISTOP = 0x00000002;	/* traced */
inline int PR_DSTOP = 0x00000004;
inline int PR_STEP = 0x00000008;
inline int PR_ASLEEP = 0x00000010;
inline int PR_PCINVAL = 0x00000020;
inline int PR_ASLWP = 0x00000040;
inline int PR_AGENT = 0x00000080;
inline int PR_DETACH = 0x00000100;
inline int PR_DAEMON = 0x00000200;
inline int PR_ISSYS = 0x00001000;	/* a thread of the kernel's own */
inline int PR_VFORKP = 0x00002000;
inline int PR_ORPHAN = 0x00004000;
inline int PR_NOSIGCHLD = 0x00008000;
inline int PR_WAITPID = 0x00010000;
inline int PR_FORK = 0x00100000;
inline int PR_RLC = 0x00200000;
inline int PR_KLC = 0x00400000;
inline int PR_ASYNC = 0x00800000;
inline int PR_MSACCT = 0x01000000;
inline int PR_BPTADJ = 0x02000000;
inline int PR_PTRACE = 0x04000000;	/* it has a tracer */
inline int PR_MSFORK = 0x08000000;
inline int PR_IDLE = 0x10000000;	/* the idle thread of a CPU */

/* pr_state of lwpsinfo_t */
inline char SSLEEP = 1;
inline char SRUN = 2;			/* it waits for a CPU */
inline char SZOMB = 3;
inline char SSTOP = 4;
inline char SIDL = 5;			/* it is being made */
inline char SONPROC = 6;
inline char SWAIT = 7;

/* pr_stype of lwpsinfo_t: what it sleeps on. */
inline int SOBJ_NONE = 0;
inline int SOBJ_MUTEX = 1;
inline int SOBJ_RWLOCK = 2;
inline int SOBJ_CV = 3;
inline int SOBJ_SEMA = 4;
inline int SOBJ_USER = 5;
inline int SOBJ_USER_PI = 6;
inline int SOBJ_SHUTTLE = 7;

/* pr_dmodel of psinfo_t */
inline char PR_MODEL_UNKNOWN = 0;
inline char PR_MODEL_ILP32 = 1;
inline char PR_MODEL_LP64 = 2;

typedef struct timestruc {
	int64_t tv_sec;
	int64_t tv_nsec;
} timestruc_t;

/* ns as seconds and the rest, in memory that the caller gives. */
inline timestruc_t *pr_time_set[timestruc_t *t, int64_t ns] =
    (t->tv_sec = ns / 1000000000, t->tv_nsec = ns % 1000000000, t);

/* Time of day when the kernel's monotonic clock was at ns. */
inline timestruc_t *pr_time_of[int64_t ns] =
    pr_time_set[(timestruc_t *)alloca(sizeof (timestruc_t)), (int64_t)walltimestamp - ((int64_t)timestamp - ns)];

typedef struct psinfo {
	int pr_nlwp;			/* number of threads */
	pid_t pr_pid;			/* of the process */
	pid_t pr_ppid;			/* of its parent */
	pid_t pr_pgid;			/* process group */
	pid_t pr_sid;			/* session */
	uid_t pr_uid;			/* real user */
	uid_t pr_euid;			/* effective user */
	gid_t pr_gid;			/* real group */
	gid_t pr_egid;			/* effective group */
	uintptr_t pr_addr;		/* the task */
	dev_t pr_ttydev;		/* controlling terminal, or (dev_t)-1 */
	timestruc_t pr_start;		/* when it began, since the epoch */
	string pr_fname;		/* name of its program, cut to 15 characters */
	string pr_psargs;		/* its arguments */
	int pr_wstat;			/* as wait() gives it, once it has ended */
	int pr_argc;
	uintptr_t pr_argv;		/* address, in the process, of the vector of its arguments' addresses */
	uintptr_t pr_envp;		/* address, in the process, of the vector of its environment */
	char pr_dmodel;			/* PR_MODEL_* */
	taskid_t pr_taskid;
	projid_t pr_projid;
	poolid_t pr_poolid;
	zoneid_t pr_zoneid;
	int pr_nzomb;			/* threads that have ended and are still kept: Linux keeps none */
	id_t pr_contract;		/* Linux has no contracts */
} psinfo_t;

/* Parameters are numbers: for a parameter of a kernel's type, each session would read all types of the kernel. */

/* Has the process of task t addresses of 32 bits? x86: bit 29 is set. */
inline int pr_is_narrow[uintptr_t t] = __exists(((struct task_struct *)t)->thread.fsbase) ?
    (((struct task_struct *)t)->thread_info.flags & (1 << 29)) != 0 : 0;

/* Where did execve() leave the arguments of the process, on its stack? 0: it has no memory of its own. */
inline uintptr_t pr_stack[uintptr_t t] = ((struct task_struct *)t)->mm == NULL ? 0 :
    (uintptr_t)((struct task_struct *)t)->mm->start_stack;

/* Can they be read: is it the current process, and are they still there, below the text of them? */
inline int pr_has_arguments[uintptr_t t] =
    pr_stack[t] != 0 && ((struct task_struct *)t)->mm == curthread->mm &&
    pr_stack[t] < ((struct task_struct *)t)->mm->arg_start;

/* The stack as execve() left it: the number of arguments, their addresses and NULL, those of the environment and NULL. */
inline uintptr_t pr_vector[uintptr_t t] = pr_stack[t] + (pr_is_narrow[t] ? 4 : 8);
inline int pr_arguments[uintptr_t t] = *(int *)copyin(pr_stack[t], sizeof (int));

/*
 * Parent of the process of task t. A thread that has been reaped has that of its leader. The current process may be
 * reaped during the firing: then ppid has it.
 */
inline int pr_is_reaped[uintptr_t t] = ((struct task_struct *)t)->thread_pid == NULL;
inline pid_t pr_parent_of[uintptr_t t] =
    !pr_is_reaped[t] ? ((struct task_struct *)t)->real_parent->tgid :
    pr_is_reaped[(uintptr_t)((struct task_struct *)t)->group_leader] ||
    ((struct task_struct *)t)->group_leader->signal != ((struct task_struct *)t)->signal ?
    (t == (uintptr_t)curthread ? (pid_t)ppid : (pid_t)0) :
    ((struct task_struct *)t)->group_leader->real_parent->tgid;

translator psinfo_t < struct task_struct *T > {
	pr_nlwp = T->signal->nr_threads;
	pr_pid = T->tgid;
	pr_ppid = pr_parent_of[(uintptr_t)T];
	pr_pgid = T->signal->pids[2]->numbers[0].nr;
	pr_sid = T->signal->pids[3]->numbers[0].nr;
	pr_uid = T->real_cred->uid.val;
	pr_euid = T->real_cred->euid.val;
	pr_gid = T->real_cred->gid.val;
	pr_egid = T->real_cred->egid.val;
	pr_addr = (uintptr_t)T;
	pr_ttydev = T->signal->tty != NULL ?
	    (dev_t)((T->signal->tty->driver->major << 20) |
	    (T->signal->tty->driver->minor_start + T->signal->tty->index)) : (dev_t)-1;
	pr_start = *pr_time_of[(int64_t)T->group_leader->start_time];
	pr_fname = stringof(T->group_leader->comm);
	/* Arguments are in the process's memory: those of another process cannot be read, its name is given instead. */
	pr_psargs = T->mm != NULL && T->mm == curthread->mm ? execargs : stringof(T->group_leader->comm);
	pr_wstat = T->group_leader->exit_code;
	/* Their number is in the process's memory, too; the environment follows them. */
	pr_argc = pr_has_arguments[(uintptr_t)T] ? pr_arguments[(uintptr_t)T] : 0;
	pr_argv = T->mm != NULL ? pr_vector[(uintptr_t)T] : 0;
	pr_envp = pr_has_arguments[(uintptr_t)T] ?
	    pr_vector[(uintptr_t)T] + (pr_arguments[(uintptr_t)T] + 1) * (pr_is_narrow[(uintptr_t)T] ? 4 : 8) : 0;
	pr_dmodel = __exists(T->thread.fsbase) ?
	    (pr_is_narrow[(uintptr_t)T] ? PR_MODEL_ILP32 : PR_MODEL_LP64) : PR_MODEL_UNKNOWN;
	/* Linux has neither tasks nor projects, pools nor zones. */
	pr_taskid = 0;
	pr_projid = 0;
	pr_poolid = -1;
	pr_zoneid = 0;
	pr_nzomb = 0;
	pr_contract = 0;
};

/*
 * Without the module, the variables of D tell all that is known of the process that fired the probe. Other members are
 * refused.
 */
typedef struct pr_fired {
	int pr_nothing;
} pr_fired_t;

translator psinfo_t < pr_fired_t *F > {
	pr_pid = pid;
	pr_ppid = ppid;
	pr_uid = uid;
	pr_gid = gid;
	pr_fname = execname;
	pr_psargs = execargs;
	pr_taskid = 0;
	pr_projid = 0;
	pr_poolid = -1;
	pr_zoneid = 0;
	pr_nzomb = 0;
	pr_contract = 0;
};

inline psinfo_t *curpsinfo = __exists(curthread) ?
    xlate <psinfo_t *> (curthread) : xlate <psinfo_t *> ((pr_fired_t *)NULL);
#pragma D attributes Stable/Stable/Common curpsinfo

typedef struct lwpsinfo {
	int pr_flag;			/* PR_* */
	id_t pr_lwpid;			/* the thread's own number */
	uintptr_t pr_addr;		/* the task */
	uintptr_t pr_wchan;
	char pr_stype;			/* SOBJ_*: what it sleeps on */
	char pr_state;			/* SSLEEP SRUN ... */
	char pr_sname;			/* as a letter: S R Z T I O */
	char pr_nice;			/* -20 to 19 */
	short pr_syscall;		/* number of its system call, 0 outside of one; read(), 0 here, is -1 */
	char pr_oldpri;			/* the priority that nice() has given */
	char pr_cpu;
	int pr_pri;			/* the kernel's priority: less is more urgent */
	ushort_t pr_pctcpu;
	timestruc_t pr_start;		/* when it began, since the epoch */
	timestruc_t pr_time;		/* time on CPUs, in user and kernel mode */
	string pr_clname;		/* scheduling class: TS FF RR B IDL DLN */
	string pr_name;			/* its name, cut to 15 characters */
	processorid_t pr_onpro;		/* CPU that it ran on last */
	processorid_t pr_bindpro;	/* CPU that it is bound to, or -1 */
	psetid_t pr_bindpset;
	int pr_lgrp;
} lwpsinfo_t;

/* Where that CPU has its copy of the per-CPU object that the current CPU has at own. */
inline uintptr_t cpu_object[uintptr_t own, int cpu_number] =
    own - ((uintptr_t *)&`__per_cpu_offset)[cpu] + ((uintptr_t *)&`__per_cpu_offset)[cpu_number];

/* The kernel's state and CPU of the task at t, whatever it calls them. */
inline long pr_kernel_state[uintptr_t t] = __exists(((struct task_struct *)t)->__state) ?
    (long)((struct task_struct *)t)->__state : (long)((struct task_struct *)t)->state;
inline int pr_kernel_cpu[uintptr_t t] = __exists(((struct task_struct *)t)->thread_info.cpu) ?
    (int)((struct task_struct *)t)->thread_info.cpu : (int)((struct task_struct *)t)->cpu;
/*
 * Is it the one that its CPU has chosen to run? When sched:::off-cpu fires, that is the next thread already: so a
 * thread that could go on waits for a CPU there.
 */
inline int pr_kernel_running[uintptr_t t] = __exists(((struct rq *)&`runqueues)->curr) ?
    (uintptr_t)((struct rq *)cpu_object[(uintptr_t)&`runqueues, pr_kernel_cpu[t]])->curr == t :
    __exists(((struct task_struct *)t)->on_cpu) ? ((struct task_struct *)t)->on_cpu : 1;

/* State of a thread from the kernel's: 0x30 is dead, 0xc stopped, 0x800 new. */
inline char pr_state_of[long state, int exit_state, int on_cpu] =
    exit_state & 0x30 ? SZOMB :
    state == 0 ? (on_cpu ? SONPROC : SRUN) :
    state & 0xc ? SSTOP :
    state & 0x800 ? SIDL : SSLEEP;

inline char pr_sname_of[char state] =
    state == SZOMB ? 'Z' : state == SONPROC ? 'O' : state == SRUN ? 'R' :
    state == SSTOP ? 'T' : state == SIDL ? 'I' : 'S';

inline string pr_clname_of[int policy] =
    policy == 0 ? "TS" : policy == 1 ? "FF" : policy == 2 ? "RR" : policy == 3 ? "B" :
    policy == 5 ? "IDL" : policy == 6 ? "DLN" : "?";

/* Index in uregs[] of the number of the system call: -1 in other entries of the kernel. */
inline int PR_ORIG_RAX = 15;
inline short pr_syscall_of[int number] = number < 0 ? (short)0 : number == 0 ? (short)-1 : (short)number;

translator lwpsinfo_t < struct task_struct *T > {
	/* the kernel's flag 0x200000 is that of its own threads, 0x2 of idle ones */
	pr_flag = (pr_kernel_state[(uintptr_t)T] & 0xc ? PR_STOPPED : 0) |
	    (pr_kernel_state[(uintptr_t)T] & 0x8 ? PR_ISTOP : 0) |
	    (pr_kernel_state[(uintptr_t)T] & 0x3 ? PR_ASLEEP : 0) |
	    (T->flags & 0x200000 ? PR_ISSYS : 0) | (T->flags & 0x2 ? PR_IDLE : 0) | (T->ptrace ? PR_PTRACE : 0);
	pr_lwpid = (id_t)T->pid;
	pr_addr = (uintptr_t)T;
	/* Linux does not note what a thread waits for. */
	pr_wchan = 0;
	/* Its wait queues are condition variables; only of locks that lend priority does it note who waits. */
	pr_stype = (char)(pr_state_of[pr_kernel_state[(uintptr_t)T], T->exit_state, 1] != SSLEEP ? SOBJ_NONE :
	    __exists(T->pi_blocked_on) && T->pi_blocked_on != NULL ? SOBJ_USER_PI : SOBJ_CV);
	pr_state = pr_state_of[pr_kernel_state[(uintptr_t)T], T->exit_state, pr_kernel_running[(uintptr_t)T]];
	pr_sname = pr_sname_of[pr_state_of[pr_kernel_state[(uintptr_t)T], T->exit_state,
	    pr_kernel_running[(uintptr_t)T]]];
	pr_nice = (char)(T->static_prio - 120);
	/* It is in the registers that the thread has saved: those of another thread cannot be read. */
	pr_syscall = (uintptr_t)T == (uintptr_t)curthread && !(T->flags & 0x200000) ?
	    pr_syscall_of[(int)uregs[PR_ORIG_RAX]] : (short)0;
	pr_oldpri = (char)T->static_prio;
	/* Neither is kept for threads. */
	pr_cpu = 0;
	pr_pctcpu = 0;
	pr_pri = T->prio;
	pr_start = *pr_time_of[(int64_t)T->start_time];
	pr_time = *pr_time_set[(timestruc_t *)alloca(sizeof (timestruc_t)), (int64_t)T->se.sum_exec_runtime];
	pr_clname = pr_clname_of[(int)T->policy];
	pr_name = stringof(T->comm);
	pr_onpro = pr_kernel_cpu[(uintptr_t)T];
	pr_bindpro = T->nr_cpus_allowed == 1 ? pr_kernel_cpu[(uintptr_t)T] : -1;
	/* Linux has no sets of processors; its groups are memory nodes. */
	pr_bindpset = -1;
	pr_lgrp = 0;
};

translator lwpsinfo_t < pr_fired_t *F > {
	pr_lwpid = tid;
	pr_state = SONPROC;
	pr_sname = 'O';
	pr_name = execname;
	pr_onpro = cpu;
	pr_bindpset = -1;
	pr_lgrp = 0;
};

inline lwpsinfo_t *curlwpsinfo = __exists(curthread) ?
    xlate <lwpsinfo_t *> (curthread) : xlate <lwpsinfo_t *> ((pr_fired_t *)NULL);
#pragma D attributes Stable/Stable/Common curlwpsinfo

/* Linux keeps names of threads only: a process has that of its first thread. */
inline string threadname = execname;
#pragma D attributes Stable/Stable/Common threadname
