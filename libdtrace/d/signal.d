/* SPDX-License-Identifier: MIT */
/* signal.d - signals, as raise() takes them and probes give them. */
inline int SIGHUP = 1;
inline int SIGINT = 2;
inline int SIGQUIT = 3;
inline int SIGILL = 4;
inline int SIGTRAP = 5;
inline int SIGABRT = 6;
inline int SIGBUS = 7;
inline int SIGFPE = 8;
inline int SIGKILL = 9;
inline int SIGUSR1 = 10;
inline int SIGSEGV = 11;
inline int SIGUSR2 = 12;
inline int SIGPIPE = 13;
inline int SIGALRM = 14;
inline int SIGTERM = 15;
inline int SIGSTKFLT = 16;
inline int SIGCHLD = 17;
inline int SIGCONT = 18;
inline int SIGSTOP = 19;
inline int SIGTSTP = 20;
inline int SIGTTIN = 21;
inline int SIGTTOU = 22;
inline int SIGURG = 23;
inline int SIGXCPU = 24;
inline int SIGXFSZ = 25;
inline int SIGVTALRM = 26;
inline int SIGPROF = 27;
inline int SIGWINCH = 28;
inline int SIGIO = 29;
inline int SIGPWR = 30;
inline int SIGSYS = 31;
inline int SIGCLD = 17;
inline int SIGPOLL = 29;

/* The first and the last signal of the real-time signals, as the kernel numbers them. */
inline int SIGRTMIN = 32;
inline int SIGRTMAX = 64;

/* Faults, as proc:::fault gives them; Linux tells these from the signal. */
inline int FLTILL = 1;		/* illegal instruction */
inline int FLTPRIV = 2;		/* privileged instruction */
inline int FLTBPT = 3;		/* breakpoint */
inline int FLTTRACE = 4;	/* single step, or hardware breakpoint */
inline int FLTACCESS = 5;	/* forbidden or unaligned access */
inline int FLTBOUNDS = 6;	/* no memory at that address */
inline int FLTIOVF = 7;		/* integer overflow */
inline int FLTIZDIV = 8;	/* integer division by zero */
inline int FLTFPE = 9;		/* floating point */
inline int FLTSTACK = 10;
inline int FLTPAGE = 11;

/* The data of a signal: members that do not apply have any value, as in C. */
typedef struct k_siginfo {
	int si_signo;
	int si_errno;
	int si_code;
	pid_t si_pid;			/* the sender's process, or the child */
	uid_t si_uid;			/* and its user */
	int si_status;			/* of a child */
	uintptr_t si_addr;		/* of a fault */
	uintptr_t si_value;		/* that sigqueue() was given */
} k_siginfo_t;

translator k_siginfo_t < struct kernel_siginfo *I > {
	si_signo = I->si_signo;
	si_errno = I->si_errno;
	si_code = I->si_code;
	si_pid = I->_sifields._kill._pid;
	si_uid = I->_sifields._kill._uid;
	si_status = I->_sifields._sigchld._status;
	si_addr = (uintptr_t)I->_sifields._sigfault._addr;
	si_value = (uintptr_t)I->_sifields._rt._sigval.sival_ptr;
};

/* How a child has ended, as proc:::exit and siginfo_t give it. */
inline int CLD_EXITED = 1;
inline int CLD_KILLED = 2;
inline int CLD_DUMPED = 3;
inline int CLD_TRAPPED = 4;
inline int CLD_STOPPED = 5;
inline int CLD_CONTINUED = 6;
