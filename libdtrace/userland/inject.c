/* SPDX-License-Identifier: MIT */
/*
 * inject.c - work in a running process by one of its threads, which ptrace stops.
 *
 * The thread makes system calls by a `syscall` instruction of the process. The first calls use an
 * instruction of the vDSO, the others one in a page of code that is mapped for the work. Each call
 * has two stops of ptrace, before and after it. No signals and no breakpoints are involved, so the
 * program's handlers are not affected. Signals are blocked meanwhile and stay pending.
 *
 * The thread's own registers are saved twice: by dtrace, and as a signal frame on a stack that is
 * mapped for the work. After each system call and each function, the page of code closes the
 * descriptors of the work, and calls rt_sigreturn with that frame. So if dtrace is killed, the
 * thread returns to its program as from a handler.
 *
 * Two kinds of calls use a frame on the thread's own stack, where the kernel would put it: the
 * first calls, until the page is mapped, and the last call, which unmaps it. A system call of the
 * process is followed by `ret`, which leads to the code by which handlers of the C library return.
 * On a stack that is not the C library's, such as a coroutine's, the frame may not fit. Then, or if
 * the process has no such code, dtrace makes these calls without a frame. The program ends if
 * dtrace is killed during one of them. (A thread with a shadow stack cannot return by either
 * frame.)
 *
 * If dtrace is killed, the next dtrace unmaps the killed one's mappings, once no thread is in them.
 * The registers are proof of that: signals are blocked in the work, so no other context of it
 * exists.
 *
 * Descriptors get into the process through a socket pair that the process makes: pidfd_getfd()
 * takes one end. No path and no network are needed, so it works in all namespaces. Where the filter
 * of a container refuses pidfd_getfd(), the process connects to an abstract socket of dtrace, in
 * its network namespace. The kernel writes the numbers of descriptors where the page of code finds
 * them, so that no descriptor is left open, whenever dtrace is killed. Two descriptors are older
 * than the page. dtrace writes the number of the first one, a connecting socket. The second is the
 * file of the page of code, which the next dtrace finds by its name.
 */
#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>
#include "../handle.h"
#include "../process/mappings.h"
#include "../process/memory.h"
#include "../process/start.h"
#include "golang.h"
#include "inject.h"
#include "memfile.h"
#include "access.h"

#define PAGE	   4096
#define USER32_CS  0x23
#define FLAG_TRAP  0x100u /* of eflags: single steps */
#define FLAG_DOWN  0x400u /* strings are processed downwards */
#define FLAG_ALIGN 0x40000u
#define XSTATE_MAX (16 << 10)
#define XSTATE_MASK \
	464 /* offset in the legacy area: the kernel's mask of the states that are there */
#define STACK_SIZE (256 << 10)
#define PATIENCE \
	10000000000 /* ns for one system call or function: the program can change its contents */
#define SEARCHED     (256 << 20) /* bytes of code that are searched for a system call */
#define RED_ZONE     128
#define STACK_LEFT   (64 << 10) /* bytes of a stack that must be free below the thread's part */
#define SIGMASK_SIZE 8

#ifndef PTRACE_GET_RSEQ_CONFIGURATION
#define PTRACE_GET_RSEQ_CONFIGURATION 0x420f
#endif

/* ---- the mappings of the work ---- */

/*
 * One range: a page of code, a page for messages, and the stack. The signal frame is at the end of
 * the stack, and functions run below it.
 */
#define WORK_MESSAGE PAGE
#define WORK_STACK   (2 * PAGE)
#define WORK_FRAME   (WORK_STACK + STACK_SIZE)
#define WORK_SIZE    (WORK_FRAME + PAGE + XSTATE_MAX + PAGE)
#define WORK_AT	     0x1d7ace000000ULL /* address, unless the process uses it */
#define WORK_NAME    "dtrace-work"

/* A message by which the process receives a descriptor. */
struct message {
	struct msghdr header;
	struct iovec iov;
	int near, far; /* from socketpair(): dtrace's end and the process's; -1: none */
	char byte;
	/* a header as of cmsg(3), CMSG_SPACE(sizeof(int)) bytes */
	size_t control_len;
	int level, type;
	int received; /* the last received descriptor, written by the kernel; -1: none */
	int padding;
};
_Static_assert(offsetof(struct message, received) - offsetof(struct message, control_len) ==
		       CMSG_LEN(0),
	       "the kernel writes the descriptor there");

/*
 * Both paths end with code that runs only if dtrace has been killed. It closes the descriptors (-1:
 * none), and the thread returns by rt_sigreturn. dtrace uses the same code to close a descriptor.
 * The code clears a number before it closes the descriptor, because the number may be reused at
 * once.
 */
static const unsigned char work_code[] = {
	0x0f, 0x05,			    /* syscall */
	0xeb, 0x0c,			    /* jmp to WORK_END */
	0xff, 0xd3,			    /* call *%rbx */
	0x48, 0x89, 0xc3,		    /* mov %rax,%rbx */
	0xb8, 0x27, 0x00, 0x00, 0x00,	    /* mov $__NR_getpid,%eax */
	0x0f, 0x05,			    /* syscall, at which dtrace stops the thread */
	0x83, 0xcf, 0xff,		    /* or $-1,%edi */
	0x87, 0x3d, 0x4f, 0x10, 0x00, 0x00, /* xchg %edi,received(%rip) */
	0xb8, 0x03, 0x00, 0x00, 0x00,	    /* mov $__NR_close,%eax */
	0x0f, 0x05,			    /* syscall */
	0x83, 0xcf, 0xff,		    /* or $-1,%edi */
	0x87, 0x3d, 0x1f, 0x10, 0x00, 0x00, /* xchg %edi,near(%rip) */
	0xb8, 0x03, 0x00, 0x00, 0x00,	    /* mov $__NR_close,%eax */
	0x0f, 0x05,			    /* syscall */
	0x83, 0xcf, 0xff,		    /* or $-1,%edi */
	0x87, 0x3d, 0x13, 0x10, 0x00, 0x00, /* xchg %edi,far(%rip) */
	0xb8, 0x03, 0x00, 0x00, 0x00,	    /* mov $__NR_close,%eax */
	0x0f, 0x05,			    /* syscall */
	0xb8, 0x0f, 0x00, 0x00, 0x00,	    /* mov $__NR_rt_sigreturn,%eax */
	0x0f, 0x05,			    /* syscall */
};
/* Offsets: the call of a function, and the end of the system call after it. */
#define WORK_CALL 4
#define WORK_END  16
/*
 * Offsets of the code that closes one descriptor. If dtrace has been killed, the following ones
 * run, too.
 */
#define WORK_CLOSE_RECEIVED	 16
#define WORK_CLOSE_NEAR		 32
#define WORK_CLOSE_FAR		 48
#define WORK_REACH(from, member) (WORK_MESSAGE + offsetof(struct message, member) - (from)-9)
_Static_assert(WORK_REACH(WORK_CLOSE_RECEIVED, received) == 0x104f &&
		       WORK_REACH(WORK_CLOSE_NEAR, near) == 0x101f &&
		       WORK_REACH(WORK_CLOSE_FAR, far) == 0x1013,
	       "the code refers to them");

/*
 * The kernel's struct rt_sigframe from uc_flags on, to which the stack pointer points at
 * rt_sigreturn.
 */
struct frame {
	uint64_t flags;
	uint64_t link;
	uint64_t stack[3]; /* size 0: the alternate stack is not changed */
	uint64_t r8, r9, r10, r11, r12, r13, r14, r15;
	uint64_t rdi, rsi, rbp, rbx, rdx, rax, rcx, rsp, rip, eflags;
	uint16_t cs, gs, fs, ss;
	uint64_t err, trapno, oldmask, cr2;
	uint64_t fpstate;
	uint64_t reserved[8];
	uint64_t mask;
};
#define FRAME_XSTATE  1u
#define FRAME_SS      2u
#define FRAME_SS_KEPT 4u
_Static_assert(sizeof(struct frame) <= PAGE, "the extended state is in the pages behind");

/* The end of the legacy area in a signal frame. */
struct xstate_info {
	uint32_t magic, extended_size;
	uint64_t features;
	uint32_t size;
	uint32_t padding[7];
};
#define XSTATE_MAGIC	 0x46505853u
#define XSTATE_MAGIC_END 0x46505845u

struct inject {
	struct dt_remote remote;
	pid_t tid;
	bool mine;		      /* stopped before the work, and afterwards */
	bool moved;		      /* the thread has registers of the work */
	bool called;		      /* a function may have changed the extended state */
	bool stop;		      /* a SIGSTOP came, and has to be repeated */
	bool lost;		      /* the thread could not be stopped again */
	int mem;		      /* of the process */
	struct user_regs_struct regs; /* the program's */
	uint64_t mask;		      /* signals that the program blocks */
	unsigned char *xstate;
	size_t xsize;
	uint64_t own;	   /* address of a system call of the process */
	uint64_t restorer; /* address of a call of rt_sigreturn, if `ret` follows own; or 0 */
	uint64_t nest;	   /* address of the frame on the thread's own stack, 0: none */
	uint64_t insn;	   /* address of the system call in use */
	uint64_t work;	   /* address of the mappings of the work; 0: not mapped */
	int sock;	   /* dtrace's end of the pair; -1: not made */
	int far;	   /* number of the process's end there */
	/* The last file that the process has received, by stat(), and its descriptor there. */
	dev_t dev;
	ino_t ino;
	int mode;
	int received;
};

static struct inject *inject_of(struct dt_remote *remote)
{
	return (struct inject *)remote;
}

static int mem_write(struct inject *in, uint64_t addr, const void *bytes, size_t n)
{
	ssize_t done = pwrite(in->mem, bytes, n, (off_t)addr);

	if (done == (ssize_t)n)
		return 0;
	return done == -1 ? -errno : done == 0 ? -ESRCH : -EFAULT;
}

static int mem_read(struct inject *in, uint64_t addr, void *bytes, size_t n)
{
	ssize_t done = pread(in->mem, bytes, n, (off_t)addr);

	if (done == (ssize_t)n)
		return 0;
	return done == -1 ? -errno : done == 0 ? -ESRCH : -EFAULT;
}

/* ---- stops ---- */

/* Why the thread has stopped. */
enum stop {
	STOP_CALL,  /* before or after a system call */
	STOP_EVENT, /* dtrace has asked for the stop */
	STOP_CRASH, /* a fault, which is not delivered */
};

/* Return whether the thread itself has caused its signal. */
static bool is_fault(const struct inject *in, int sig)
{
	siginfo_t info;

	if (sig != SIGSEGV && sig != SIGBUS && sig != SIGILL && sig != SIGFPE && sig != SIGTRAP &&
	    sig != SIGSYS)
		return false;
	return ptrace(PTRACE_GETSIGINFO, in->tid, NULL, &info) == 0 && info.si_code > 0;
}

/* Repeat a signal later that cannot be blocked. */
static void signal_keep(struct inject *in, int sig)
{
	if (sig == SIGSTOP)
		in->stop = true;
	else
		syscall(SYS_tgkill, in->remote.pid, in->tid, sig);
}

/*
 * Stop the thread, which has not reached its next stop in time. If that fails, too, release the
 * thread as soon as it stops. Return -ETIMEDOUT or -ESRCH.
 */
static int step_late(struct inject *in)
{
	int status, error;

	error = ptrace(PTRACE_INTERRUPT, in->tid, NULL, NULL) == -1
			? -ESRCH
			: dt_seize_wait(in->tid, &status, dt_now() + PATIENCE / 10);
	if (error == -ETIMEDOUT) {
		in->lost = true;
		dt_seize_late(in->tid);
	}
	return error ? error : -ETIMEDOUT;
}

/*
 * Let the thread run to its next stop: with PTRACE_SYSCALL to a system call, with PTRACE_CONT to
 * the kernel's delivery of signals. After other stops, such as for job control, the thread runs on.
 * Return the reason of the stop, -ESRCH or -ETIMEDOUT.
 */
static int step(struct inject *in, enum __ptrace_request request)
{
	const uint64_t end = dt_now() + PATIENCE;
	int status, sig, error;

	if (in->lost)
		return -ETIMEDOUT;
	for (;;) {
		/* Any stop fulfils an earlier PTRACE_INTERRUPT. */
		if ((request == PTRACE_CONT &&
		     ptrace(PTRACE_INTERRUPT, in->tid, NULL, NULL) == -1) ||
		    ptrace(request, in->tid, NULL, NULL) == -1)
			return -ESRCH;
		error = dt_seize_wait(in->tid, &status, end);
		if (error)
			return error == -ETIMEDOUT ? step_late(in) : error;
		sig = WSTOPSIG(status);
		if (sig == (SIGTRAP | 0x80))
			return STOP_CALL;
		if (status >> 16 == PTRACE_EVENT_STOP && request == PTRACE_CONT)
			return STOP_EVENT;
		if (status >> 16)
			continue;
		if (is_fault(in, sig))
			return STOP_CRASH;
		signal_keep(in, sig);
	}
}

/* ---- registers ---- */

/*
 * Return the program's registers with which it goes on. An interrupted system call is restarted, as
 * the kernel would do.
 */
static struct user_regs_struct regs_resumed(const struct inject *in)
{
	struct user_regs_struct regs = in->regs;

	if ((int64_t)regs.orig_rax < 0)
		return regs;
	switch ((int64_t)regs.rax) {
	case -512: /* ERESTARTSYS */
	case -513: /* ERESTARTNOINTR */
	case -514: /* ERESTARTNOHAND */
		regs.rax = regs.orig_rax;
		regs.rip -= 2;
		break;
	case -516: /* ERESTART_RESTARTBLOCK */
		regs.rax = SYS_restart_syscall;
		regs.rip -= 2;
		break;
	}
	regs.orig_rax = (uint64_t)-1;
	return regs;
}

/* Set the registers of work, from the program's. Return 0 or -ESRCH. */
static int regs_set(struct inject *in, struct user_regs_struct *regs)
{
	regs->orig_rax = (uint64_t)-1;
	regs->eflags &= ~(uint64_t)(FLAG_TRAP | FLAG_DOWN | FLAG_ALIGN);
	if (in->nest && in->insn == in->own)
		regs->rsp = in->nest - sizeof(in->restorer);
	else if (in->work)
		regs->rsp = in->work + WORK_FRAME;
	if (ptrace(PTRACE_SETREGS, in->tid, NULL, regs) == -1)
		return -ESRCH;
	if (!in->moved) {
		/*
		 * Faults are not blocked: the kernel would reset the program's handlers for them.
		 */
		const uint64_t faults = 1u << (SIGSEGV - 1) | 1u << (SIGBUS - 1) |
					1u << (SIGILL - 1) | 1u << (SIGFPE - 1) |
					1u << (SIGTRAP - 1) | 1u << (SIGSYS - 1);
		const uint64_t mask = ~faults;

		in->moved = true;
		ptrace(PTRACE_SETSIGMASK, in->tid, (void *)SIGMASK_SIZE, &mask);
	}
	return 0;
}

/* Return the thread's rax. */
static int64_t regs_result(const struct inject *in)
{
	return ptrace(PTRACE_PEEKUSER, in->tid, (void *)offsetof(struct user_regs_struct, rax),
		      NULL);
}

/*
 * Let the thread run from an address to the stop before a system call. Return 0 or a negative
 * errno.
 */
static int call_reach(struct inject *in, struct user_regs_struct *regs)
{
	int why = regs_set(in, regs);

	if (why == 0)
		why = step(in, PTRACE_SYSCALL);
	if (why < 0)
		return why;
	return why == STOP_CALL ? 0 : -ENOTSUP; /* SIGSYS: a filter redirects the system calls */
}

/* Begin a system call in the process, up to the stop before it. Return 0 or a negative errno. */
static int call_enter(struct inject *in, long nr, const uint64_t args[6])
{
	struct user_regs_struct regs = in->regs;

	regs.rip = in->insn;
	regs.rax = (uint64_t)nr;
	regs.rdi = args[0];
	regs.rsi = args[1];
	regs.rdx = args[2];
	regs.r10 = args[3];
	regs.r8 = args[4];
	regs.r9 = args[5];
	return call_reach(in, &regs);
}

/* Make a system call in the process. Return its result, or -ESRCH. */
static int64_t call(struct inject *in, long nr, uint64_t a0, uint64_t a1, uint64_t a2, uint64_t a3,
		    uint64_t a4, uint64_t a5)
{
	const uint64_t args[6] = {a0, a1, a2, a3, a4, a5};
	int error = call_enter(in, nr, args);

	if (!error)
		error = step(in, PTRACE_SYSCALL);
	return error < 0 ? error : regs_result(in);
}

/* ---- the signal frame ---- */

/* Complete the extended state as signal frames have it, at xsize. */
static void xstate_finish(struct inject *in)
{
	const uint32_t end = XSTATE_MAGIC_END;
	struct xstate_info info = {.magic = XSTATE_MAGIC,
				   .extended_size = (uint32_t)in->xsize + sizeof(end),
				   .size = (uint32_t)in->xsize};

	memcpy(&info.features, in->xstate + XSTATE_MASK, sizeof(info.features));
	memcpy(in->xstate + XSTATE_MASK, &info, sizeof(info));
	memcpy(in->xstate + in->xsize, &end, sizeof(end));
}

/*
 * Write the signal frame by which the thread returns to its program without dtrace. xstate: address
 * of the extended state, a multiple of 64.
 */
static int frame_write(struct inject *in, uint64_t at, uint64_t xstate)
{
	const struct user_regs_struct regs = regs_resumed(in);
	const struct frame frame = {
		.flags = FRAME_XSTATE | FRAME_SS | FRAME_SS_KEPT,
		.r8 = regs.r8,
		.r9 = regs.r9,
		.r10 = regs.r10,
		.r11 = regs.r11,
		.r12 = regs.r12,
		.r13 = regs.r13,
		.r14 = regs.r14,
		.r15 = regs.r15,
		.rdi = regs.rdi,
		.rsi = regs.rsi,
		.rbp = regs.rbp,
		.rbx = regs.rbx,
		.rdx = regs.rdx,
		.rax = regs.rax,
		.rcx = regs.rcx,
		.rsp = regs.rsp,
		.rip = regs.rip,
		.eflags = regs.eflags,
		.cs = (uint16_t)regs.cs,
		.ss = (uint16_t)regs.ss,
		.fpstate = xstate,
		.mask = in->mask,
	};
	unsigned char saved[sizeof(struct xstate_info)];
	int error;

	memcpy(saved, in->xstate + XSTATE_MASK, sizeof(saved));
	xstate_finish(in);
	error = mem_write(in, xstate, in->xstate, in->xsize + sizeof(uint32_t));
	memcpy(in->xstate + XSTATE_MASK, saved, sizeof(saved));
	return error ? error : mem_write(in, at, &frame, sizeof(frame));
}

/*
 * Return whether a mapping is a stack of the C library with enough space. A callback of
 * dt_mappings_all().
 */
static int stack_find(void *arg, const struct dt_mapping *map)
{
	const struct user_regs_struct *regs = arg;

	return regs->rsp - map->start < map->end - map->start &&
	       regs->rsp - map->start >= STACK_LEFT &&
	       (strcmp(map->path, "[stack]") == 0 ||
		(regs->fs_base > regs->rsp && regs->fs_base < map->end));
}

/*
 * Write the signal frame to the thread's own stack, if it is suitable. A stack of Go is not, and
 * may be in one mapping with the thread's variables.
 */
static void nest_write(struct inject *in)
{
	const uint64_t xstate =
		(in->regs.rsp - RED_ZONE - in->xsize - sizeof(uint32_t)) & ~(uint64_t)63;
	const uint64_t at = (xstate - sizeof(struct frame)) & ~(uint64_t)15;

	if (in->restorer && !dt_golang(in->remote.pid, in->mem) &&
	    dt_mappings_all(in->remote.pid, stack_find, &in->regs) &&
	    frame_write(in, at, xstate) == 0 &&
	    mem_write(in, at - sizeof(in->restorer), &in->restorer, sizeof(in->restorer)) == 0)
		in->nest = at;
}

/* ---- descriptors ---- */

/* Return dtrace's descriptor for a descriptor of the process, or a negative errno. */
static int fd_take(struct inject *in, int fd)
{
	const int pidfd_thread = O_EXCL; /* PIDFD_THREAD, Linux 6.9 */
	int pidfd = (int)syscall(SYS_pidfd_open, in->tid, pidfd_thread), taken;

	if (pidfd == -1)
		pidfd = (int)syscall(SYS_pidfd_open, in->remote.pid, 0);
	if (pidfd == -1)
		return -errno;
	taken = (int)syscall(SYS_pidfd_getfd, pidfd, fd, 0);
	if (taken == -1)
		taken = -errno;
	close(pidfd);
	return taken;
}

/*
 * Return whether an error of fd_take() means that pidfd_getfd() does not exist or is filtered, or,
 * before Linux 6.9, that the main thread has ended.
 */
static bool is_no_take(int error)
{
	return error == -EPERM || error == -ENOSYS || error == -EBADF || error == -ESRCH;
}

/*
 * Open a memory file by a descriptor of the process. Return dtrace's descriptor or a negative
 * errno.
 */
static int file_open(struct inject *in, int far)
{
	char path[64];
	int fd = fd_take(in, far);

	if (!is_no_take(fd))
		return fd;
	snprintf(path, sizeof(path), "/proc/%d/fd/%d", in->tid, far);
	fd = open(path, O_RDWR | O_CLOEXEC);
	return fd != -1 ? fd : errno == ENOENT ? -ESRCH : -errno;
}

/* Close a descriptor of the work in the process. code: offset WORK_CLOSE_* in the page of code. */
static void fd_close(struct inject *in, uint64_t code)
{
	struct user_regs_struct regs = in->regs;

	regs.rip = in->work + code;
	if (call_reach(in, &regs) == 0)
		step(in, PTRACE_SYSCALL);
}

static void received_close(struct inject *in)
{
	if (in->received != -1)
		fd_close(in, WORK_CLOSE_RECEIVED);
	in->received = -1;
}

static void far_close(struct inject *in)
{
	if (in->far != -1)
		fd_close(in, WORK_CLOSE_FAR);
	in->far = -1;
}

/* Make a listening socket with a name that the kernel chooses. Return it, or a negative errno. */
static int listener_make(struct sockaddr_un *name, socklen_t *size)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), error;

	*name = (struct sockaddr_un){.sun_family = AF_UNIX};
	*size = sizeof(*name);
	if (fd == -1)
		return -errno;
	if (bind(fd, (struct sockaddr *)name, sizeof(name->sun_family)) == 0 &&
	    getsockname(fd, (struct sockaddr *)name, size) == 0 && listen(fd, SOMAXCONN) == 0)
		return fd;
	error = -errno;
	close(fd);
	return error;
}

/* Accept the connection of the process, and drop others. Return 0 or a negative errno. */
static int listener_accept(struct inject *in, int listener)
{
	struct ucred peer;
	socklen_t size = sizeof(peer);
	int fd;

	while ((fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC)) != -1) {
		if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
		    peer.pid == in->remote.pid) {
			in->sock = fd;
			return 0;
		}
		close(fd);
	}
	return -errno;
}

/* Make the process connect to a socket of dtrace. Return 0 or a negative errno. */
static int socket_connect(struct inject *in)
{
	const uint64_t at = in->work + WORK_MESSAGE + sizeof(struct message);
	struct sockaddr_un name;
	socklen_t size;
	int listener = listener_make(&name, &size);
	int64_t error;

	if (listener < 0)
		return listener;
	error = mem_write(in, at, &name, size);
	if (!error)
		error = call(in, SYS_socket, AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0,
			     0, 0, 0);
	if (error >= 0) {
		in->far = (int)error;
		error = mem_write(in, in->work + WORK_MESSAGE + offsetof(struct message, far),
				  &in->far, sizeof(in->far));
	}
	if (!error)
		error = call(in, SYS_connect, (uint64_t)in->far, at, size, 0, 0, 0);
	if (!error)
		error = listener_accept(in, listener);
	if (error)
		far_close(in);
	close(listener);
	return (int)error;
}

/* Make the socket pair. Return 0 or a negative errno. */
static int socket_make(struct inject *in)
{
	const uint64_t at = in->work + WORK_MESSAGE + offsetof(struct message, near);
	int64_t result = call(in, SYS_socketpair, AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, at, 0, 0);
	int pair[2], error;

	if (result < 0)
		return (int)result;
	error = mem_read(in, at, pair, sizeof(pair));
	if (error)
		return error;
	in->far = pair[1];
	in->sock = fd_take(in, pair[0]);
	fd_close(in, WORK_CLOSE_NEAR);
	if (in->sock >= 0)
		return 0;
	error = in->sock;
	in->sock = -1;
	far_close(in);
	return is_no_take(error) ? socket_connect(in) : error;
}

/* Send a descriptor to the far end. Return 0 or a negative errno. */
static int fd_send(struct inject *in, int fd)
{
	struct message m = {.iov = {&m.byte, 1},
			    .control_len = CMSG_LEN(sizeof(fd)),
			    .level = SOL_SOCKET,
			    .type = SCM_RIGHTS,
			    .received = fd};

	m.header = (struct msghdr){.msg_iov = &m.iov,
				   .msg_iovlen = 1,
				   .msg_control = &m.control_len,
				   .msg_controllen = CMSG_SPACE(sizeof(fd))};
	return sendmsg(in->sock, &m.header, MSG_DONTWAIT | MSG_NOSIGNAL) == 1 ? 0 : -errno;
}

/* Let the process receive the descriptor. Return its number there or a negative errno. */
static int fd_receive(struct inject *in)
{
	const uint64_t at = in->work + WORK_MESSAGE;
	struct message m = {.near = -1, .far = in->far, .received = -1};
	int64_t result;

	m.iov = (struct iovec){(void *)(at + offsetof(struct message, byte)), 1};
	m.header =
		(struct msghdr){.msg_iov = (void *)(at + offsetof(struct message, iov)),
				.msg_iovlen = 1,
				.msg_control = (void *)(at + offsetof(struct message, control_len)),
				.msg_controllen = CMSG_SPACE(sizeof(int))};
	result = mem_write(in, at, &m, sizeof(m));
	if (!result)
		result = call(in, SYS_recvmsg, (uint64_t)in->far, at,
			      MSG_CMSG_CLOEXEC | MSG_DONTWAIT, 0, 0, 0);
	if (result >= 0)
		result = mem_read(in, at, &m, sizeof(m));
	if (result < 0)
		return (int)result;
	if (m.header.msg_controllen < CMSG_LEN(sizeof(int)))
		return -EMFILE; /* the process has no free descriptor */
	return m.received;
}

/*
 * Return a descriptor in the process for a file of dtrace, or a negative errno. The process keeps
 * the descriptor until another file is passed, since one file is often mapped several times in a
 * row.
 */
static int fd_pass(struct inject *in, int fd)
{
	int mode = fcntl(fd, F_GETFL), got;
	struct stat st;

	if (mode == -1 || fstat(fd, &st) == -1)
		return -errno;
	if (in->received != -1 && st.st_dev == in->dev && st.st_ino == in->ino && mode == in->mode)
		return in->received;
	received_close(in);
	got = fd_send(in, fd);
	if (!got)
		got = fd_receive(in);
	if (got < 0)
		return got;
	in->dev = st.st_dev;
	in->ino = st.st_ino;
	in->mode = mode;
	return in->received = got;
}

/* ---- preparation ---- */

/*
 * Write the page of code to a file of the process, and map it over the first page. Return 0 or a
 * negative errno.
 */
static int code_write(struct inject *in, int far)
{
	int fd = file_open(in, far), error;
	int64_t at;

	if (fd < 0)
		return fd;
	error = dt_memfile_fill(fd, work_code, sizeof(work_code));
	close(fd);
	if (error)
		return error;
	at = call(in, SYS_mmap, in->work, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED,
		  (uint64_t)far, 0);
	if (at < 0)
		return (int)at;
	in->insn = in->work;
	return 0;
}

/*
 * Make the process create the file of the page of code, and map it. Return 0 or a negative errno.
 */
static int code_map(struct inject *in)
{
	const uint64_t name = in->work + WORK_MESSAGE + sizeof(struct message);
	int error = mem_write(in, name, WORK_NAME, sizeof(WORK_NAME));
	int64_t far;

	if (error)
		return error;
	far = call(in, SYS_memfd_create, name, DT_MEMFILE_FLAGS, 0, 0, 0, 0);
	if (far == -EINVAL)
		far = call(in, SYS_memfd_create, name, DT_MEMFILE_FLAGS_OLD, 0, 0, 0, 0);
	if (far < 0)
		return (int)far;
	error = code_write(in, (int)far);
	call(in, SYS_close, (uint64_t)far, 0, 0, 0, 0, 0);
	return error;
}

/* The mappings that a killed dtrace has left. */
struct rest {
	uint64_t start; /* 0: none */
	uint64_t end;	/* of the contiguous mappings from start on */
};

/*
 * Find the leftover mappings. A callback of dt_mappings_all(). They are at WORK_AT, or follow a
 * page of code. The kernel may have merged them all, or all but the page of code.
 */
static int rest_find(void *arg, const struct dt_mapping *map)
{
	struct rest *rest = arg;
	const bool code = strstr(map->path, "/memfd:" WORK_NAME);

	if (code || (map->start == WORK_AT && !*map->path))
		*rest = (struct rest){.start = map->start, .end = map->end};
	else if (rest->start && map->start == rest->end && !*map->path)
		rest->end = map->end;
	else
		return 0;
	return rest->end == rest->start + WORK_SIZE;
}

/* Close the files of a leftover page of code. */
static void rest_close(struct inject *in)
{
	char path[64], target[64];
	struct dirent *entry;
	DIR *fds;

	snprintf(path, sizeof(path), "/proc/%d/fd", in->tid);
	fds = opendir(path);
	if (!fds)
		return;
	while ((entry = readdir(fds))) {
		const ssize_t n = readlinkat(dirfd(fds), entry->d_name, target, sizeof(target) - 1);

		target[n < 0 ? 0 : n] = '\0';
		if (strcmp(target, "/memfd:" WORK_NAME " (deleted)") == 0)
			call(in, SYS_close, strtoull(entry->d_name, NULL, 10), 0, 0, 0, 0, 0);
	}
	closedir(fds);
}

/* Close the leftover files, and unmap the leftover range if no thread is in it. */
static void rest_remove(struct inject *in)
{
	struct dt_seized *threads;
	char why[DT_WHYLEN];
	struct rest rest = {0};
	bool within = false;

	if (!dt_mappings_all(in->remote.pid, rest_find, &rest) ||
	    dt_seize_all(in->remote.pid, &threads, why) != 0)
		return;
	for (size_t i = 0; i < dt_seized_count(threads); i++)
		within |= dt_seized_is_within(threads, i, rest.start, rest.start + WORK_SIZE);
	dt_seized_go(threads);
	rest_close(in);
	if (!within)
		call(in, SYS_munmap, rest.start, WORK_SIZE, 0, 0, 0, 0);
}

/*
 * Map the range of the work at WORK_AT, where the next dtrace finds it if this one is killed;
 * elsewhere, if WORK_AT is in use. Return its address or a negative errno.
 */
static int64_t work_map(struct inject *in)
{
	const uint64_t flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
	int64_t at = call(in, SYS_mmap, WORK_AT, WORK_SIZE, PROT_READ | PROT_WRITE,
			  flags | MAP_FIXED_NOREPLACE, (uint64_t)-1, 0);

	return at >= 0 || at == -ESRCH ? at
				       : call(in, SYS_mmap, 0, WORK_SIZE, PROT_READ | PROT_WRITE,
					      flags, (uint64_t)-1, 0);
}

/* Map the range of the work by the first system calls. Return 0 or a negative errno. */
static int work_begin(struct inject *in)
{
	const struct message none = {.near = -1, .far = -1, .received = -1};
	int64_t at;
	int error;

	if (in->sock != -1)
		return 0;
	if (!in->work) {
		nest_write(in);
		rest_remove(in);
		at = work_map(in);
		if (at < 0)
			return (int)at;
		in->work = (uint64_t)at;
		error = frame_write(in, in->work + WORK_FRAME, in->work + WORK_FRAME + PAGE);
		if (!error)
			error = mem_write(in, in->work + WORK_MESSAGE, &none, sizeof(none));
		if (error)
			return error;
	}
	error = in->insn == in->work ? 0 : code_map(in);
	return error ? error : socket_make(in);
}

/*
 * End an rseq critical section of the program, as the kernel does when it delivers a signal: the
 * section must not continue after other code.
 */
static void rseq_abort(struct inject *in)
{
	struct {
		uint64_t pointer;
		uint32_t size, signature, flags, pad;
	} config;
	struct {
		uint32_t version, flags;
		uint64_t start, size, abort;
	} section;
	const uint64_t none = 0;
	uint64_t at = 0;

	if (ptrace(PTRACE_GET_RSEQ_CONFIGURATION, in->tid, (void *)sizeof(config), &config) !=
		    sizeof(config) ||
	    !config.pointer || mem_read(in, config.pointer + 8, &at, sizeof(at)) != 0 || !at ||
	    mem_read(in, at, &section, sizeof(section)) != 0 ||
	    in->regs.rip - section.start >= section.size)
		return;
	in->regs.rip = section.abort;
	in->regs.orig_rax = (uint64_t)-1;
	mem_write(in, config.pointer + 8, &none, sizeof(none));
	ptrace(PTRACE_SETREGS, in->tid, NULL, &in->regs);
}

/* Save the state of the thread. Return 0 or a negative errno. */
static int state_save(struct inject *in)
{
	struct iovec iov = {in->xstate, XSTATE_MAX};

	if (ptrace(PTRACE_GETREGS, in->tid, NULL, &in->regs) == -1 ||
	    ptrace(PTRACE_GETSIGMASK, in->tid, (void *)SIGMASK_SIZE, &in->mask) == -1 ||
	    ptrace(PTRACE_GETREGSET, in->tid, (void *)NT_X86_XSTATE, &iov) == -1)
		return -ESRCH;
	in->xsize = iov.iov_len;
	rseq_abort(in);
	return 0;
}

/*
 * Prepare a thread that dt_start() has stopped: make ptrace tell system calls from breakpoints, and
 * let an exec end, so that the registers are set. Return 0 or -ESRCH.
 */
static int mine_begin(struct inject *in)
{
	const int event = SIGTRAP | PTRACE_EVENT_EXEC << 8;
	siginfo_t info;

	if (ptrace(PTRACE_SETOPTIONS, in->tid, NULL,
		   (void *)(intptr_t)(dt_seize_options(in->tid) | PTRACE_O_TRACESYSGOOD)) == -1)
		return -ESRCH;
	if (ptrace(PTRACE_GETSIGINFO, in->tid, NULL, &info) == 0 && info.si_code == event)
		return step(in, PTRACE_SYSCALL) < 0 ? -ESRCH : 0;
	return 0;
}

/* Note the vDSO's address. A callback of dt_mappings(). */
static int vdso_note(void *arg, const struct dt_mapping *map)
{
	struct dt_mapping *vdso = arg;

	if (strcmp(map->path, "[vdso]") != 0)
		return 0;
	*vdso = *map;
	return 1;
}

/* An instruction sequence of the process. */
struct insn {
	const unsigned char *bytes;
	size_t n;
	uint64_t found; /* address; 0: not found */
};

/* The state of a search for code in all mappings of a process. */
struct search {
	int mem;
	uint64_t left; /* bytes that may still be searched */
	struct insn call, call_ret, restorer;
};

/* Search n bytes of the process, which are at an address there, for code. */
static void insn_search(struct insn *insn, const unsigned char *text, size_t n, uint64_t at)
{
	const unsigned char *found = insn->found ? NULL : memmem(text, n, insn->bytes, insn->n);

	if (found)
		insn->found = at + (uint64_t)(found - text);
}

/* Search a mapping. A callback of dt_mappings(). */
static int search_mapping(void *arg, const struct dt_mapping *map)
{
	struct search *search = arg;
	unsigned char text[16 * PAGE];
	ssize_t n;

	for (uint64_t at = map->start; at < map->end && search->left;
	     at += sizeof(text) - search->restorer.n) {
		search->left -= search->left < sizeof(text) ? search->left : sizeof(text);
		n = pread(search->mem, text, sizeof(text), (off_t)at);
		if (n <= 0)
			return 0;
		if ((uint64_t)n > map->end - at)
			n = (ssize_t)(map->end - at);
		insn_search(&search->call, text, (size_t)n, at);
		insn_search(&search->call_ret, text, (size_t)n, at);
		insn_search(&search->restorer, text, (size_t)n, at);
	}
	return (search->call_ret.found && search->restorer.found) || !search->left;
}

/* Find code in the process for system calls: own, and restorer. */
static void insns_find(struct inject *in)
{
	static const unsigned char call_ret[] = {0x0f, 0x05, 0xc3};
	static const unsigned char restorer[] = {
		0x48, 0xc7, 0xc0, 0x0f, 0x00,
		0x00, 0x00, 0x0f, 0x05}; /* mov $__NR_rt_sigreturn,%rax */
	struct search search = {
		.mem = in->mem,
		.left = SEARCHED,
		.call = {call_ret, 2, 0},
		.call_ret = {call_ret, sizeof(call_ret), 0},
		.restorer = {restorer, sizeof(restorer), 0},
	};
	struct dt_mapping vdso = {0};

	if (dt_mappings(in->remote.pid, vdso_note, &vdso))
		search_mapping(&search, &vdso);
	dt_mappings(in->remote.pid, search_mapping, &search);
	in->own = search.call.found;
	if (search.call_ret.found && search.restorer.found) {
		in->own = search.call_ret.found;
		in->restorer = search.restorer.found;
	}
}

/* ---- operations ---- */

static int64_t inject_map(struct dt_remote *remote, uint64_t addr, uint64_t size, int prot,
			  int flags, int fd, uint64_t offset)
{
	struct inject *in = inject_of(remote);
	int far = work_begin(in);

	if (!far)
		far = fd_pass(in, fd);
	if (far < 0)
		return far;
	return call(in, SYS_mmap, addr, size, (uint64_t)prot, (uint64_t)flags, (uint64_t)far,
		    offset);
}

static int inject_unmap(struct dt_remote *remote, uint64_t addr, uint64_t size)
{
	struct inject *in = inject_of(remote);
	int error = work_begin(in);

	return error ? error : (int)call(in, SYS_munmap, addr, size, 0, 0, 0, 0);
}

static int inject_write(struct dt_remote *remote, uint64_t addr, const void *bytes, size_t n)
{
	return mem_write(inject_of(remote), addr, bytes, n);
}

/* Let a function run to its end, and stop before rt_sigreturn. Return 0 or a negative errno. */
static int call_run(struct inject *in)
{
	struct user_regs_struct regs;
	int why;

	for (;;) {
		why = step(in, PTRACE_SYSCALL);
		if (why != STOP_CALL)
			return why == STOP_CRASH ? -EFAULT : why < 0 ? why : -ESRCH;
		if (ptrace(PTRACE_GETREGS, in->tid, NULL, &regs) == -1)
			return -ESRCH;
		if (regs.rip == in->work + WORK_END)
			break;
	}
	return step(in, PTRACE_SYSCALL) == STOP_CALL ? 0 : -ESRCH;
}

static int inject_call(struct dt_remote *remote, uint64_t function, uint64_t arg0, uint64_t arg1,
		       int64_t *result)
{
	struct inject *in = inject_of(remote);
	struct user_regs_struct regs = in->regs;
	int error = work_begin(in);

	if (error)
		return error;
	regs.rip = in->work + WORK_CALL;
	regs.rbx = function;
	regs.rdi = arg0;
	regs.rsi = arg1;
	regs.rbp = 0;
	in->called = true;
	if (regs_set(in, &regs) != 0)
		return -ESRCH;
	error = call_run(in);
	if (error)
		return error;
	*result = ptrace(PTRACE_PEEKUSER, in->tid, (void *)offsetof(struct user_regs_struct, rbx),
			 NULL);
	return 0;
}

static int inject_memory(struct dt_remote *remote)
{
	int fd = fcntl(inject_of(remote)->mem, F_DUPFD_CLOEXEC, 0);

	return fd == -1 ? -errno : fd;
}

/*
 * Unmap the range of the work by the thread's last call. The call ends in a stop in which the
 * kernel restarts the program's interrupted system call.
 */
static void work_unmap(struct inject *in)
{
	const uint64_t args[6] = {in->work, WORK_SIZE};

	if (call_enter(in, SYS_munmap, args) != 0)
		return;
	step(in, in->mine ? PTRACE_SYSCALL : PTRACE_CONT);
}

/* Restore the state of the program's thread. */
static void state_restore(struct inject *in)
{
	struct user_regs_struct regs = in->mine ? regs_resumed(in) : in->regs;
	struct iovec iov = {in->xstate, in->xsize};

	ptrace(PTRACE_SETSIGMASK, in->tid, (void *)SIGMASK_SIZE, &in->mask);
	if (in->called)
		ptrace(PTRACE_SETREGSET, in->tid, (void *)NT_X86_XSTATE, &iov);
	ptrace(PTRACE_SETREGS, in->tid, NULL, &regs);
}

static void inject_free(struct inject *in)
{
	if (in->sock != -1)
		close(in->sock);
	if (in->mem != -1)
		close(in->mem);
	free(in->xstate);
	free(in);
}

static void inject_end(struct dt_remote *remote)
{
	struct inject *in = inject_of(remote);

	if (in->moved) {
		received_close(in);
		far_close(in);
		in->insn = in->own;
		if (in->work)
			work_unmap(in);
		state_restore(in);
	}
	if (in->mine)
		ptrace(PTRACE_SETOPTIONS, in->tid, NULL,
		       (void *)(intptr_t)dt_seize_options(in->tid));
	else if (!in->lost)
		dt_seize_release(in->tid, 0);
	if (in->stop)
		kill(in->remote.pid, SIGSTOP);
	inject_free(in);
}

/* ---- begin ---- */

/*
 * Collect facts that need no stopped thread, then stop one. Return 0 or a negative errno with a
 * reason.
 */
static int inject_stop(struct inject *in, char *why)
{
	pid_t pid = in->remote.pid, tid;
	int error;

	in->mem = dt_memory_open(pid, O_RDWR);
	if (in->mem == -1)
		return dt_access_denied(pid, pid, why);
	insns_find(in);
	if (!in->own)
		return dt_why(why, -ENOTSUP, "process %d has no system call in its code", pid);
	in->insn = in->own;
	tid = dt_seize(pid, &in->mine, why);
	if (tid < 0)
		return tid;
	in->tid = tid;
	error = in->mine ? mine_begin(in) : 0;
	if (!error)
		error = state_save(in);
	if (error)
		dt_why(why, error, "process %d has ended", pid);
	else if (in->regs.cs == USER32_CS)
		error = dt_why(why, -ENOTSUP, "process %d runs 32-bit code", pid);
	if (error && !in->mine)
		dt_seize_release(tid, 0);
	return error;
}

int dt_inject_begin(pid_t pid, struct dt_remote **remote, char *why)
{
	static const struct dt_remote_ops ops = {
		.map = inject_map,
		.unmap = inject_unmap,
		.write = inject_write,
		.call = inject_call,
		.memory = inject_memory,
		.end = inject_end,
	};
	int error = dt_access_check(pid, why);
	struct inject *in;

	if (error)
		return error;
	in = calloc(1, sizeof(*in));
	if (!in)
		return dt_why(why, -ENOMEM, "no memory for process %d", pid);
	in->remote = (struct dt_remote){&ops, pid};
	in->mem = in->sock = in->far = in->received = -1;
	in->xstate = malloc(XSTATE_MAX + sizeof(uint32_t)); /* the mark of its end */
	if (in->xstate)
		error = inject_stop(in, why);
	else
		error = dt_why(why, -ENOMEM, "no memory for process %d", pid);
	if (error) {
		inject_free(in);
		return error;
	}
	*remote = &in->remote;
	return 0;
}
