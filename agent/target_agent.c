/* SPDX-License-Identifier: MIT */
/*
 * target_agent.c - the traced process, as the engine in it sees it.
 *
 * Memory of the program is read by a system call, which fails where a load would fault. With a
 * filter of seccomp, the system call may fault, too.
 */
#include <linux/signal.h>
#include <linux/uio.h>
#include <asm/prctl.h>
#include <asm/unistd.h>
#include <sys/reg.h>
#include "impl.h"
#include "fire.h"

#define STACK_COPY 8192 /* bytes of a stack that are read at once */

/* A copy of the top of a stack, while it is walked. */
struct stack_copy {
	uint64_t from;
	size_t size; /* 0: none */
	uint8_t bytes[STACK_COPY];
};

static struct {
	uint16_t tid_offset;	   /* 0: unknown */
	uint16_t tid_tries;	   /* attempts to find it */
	struct stack_copy *stacks; /* of slots */
} target;

/* ---- memory ---- */

int64_t target_peek(void *dst, uint64_t addr, size_t n)
{
	struct iovec to = {dst, n}, from = {(void *)(uintptr_t)addr, n};

	return agent_syscall(__NR_process_vm_readv, target_pid(), (uintptr_t)&to, 1,
			     (uintptr_t)&from, 1, 0);
}

int target_load_user(void *dst, uint64_t addr, size_t n)
{
	const struct stack_copy *copy = &target.stacks[agent_slot->number];
	uint64_t sp = (uint64_t)__builtin_frame_address(0);

	if (copy->size && addr - copy->from < copy->size && n <= copy->size - (addr - copy->from)) {
		memcpy(dst, copy->bytes + (addr - copy->from), n);
		return 0;
	}

	/* The page of the stack pointer is mapped. */
	if (addr >= sp && addr <= (sp | 4095) && n <= (sp | 4095) + 1 - addr) {
		memcpy(dst, (const void *)(uintptr_t)addr, n);
		return 0;
	}
	return target_peek(dst, addr, n) == (int64_t)n ? 0 : -EFAULT;
}

int target_store_user(uint64_t addr, const void *src, size_t n)
{
	struct iovec from = {(void *)(uintptr_t)src, n}, to = {(void *)(uintptr_t)addr, n};

	return agent_syscall(__NR_process_vm_writev, target_pid(), (uintptr_t)&from, 1,
			     (uintptr_t)&to, 1, 0) == (int64_t)n
		       ? 0
		       : -EFAULT;
}

int target_user_word(void)
{
	return 8;
}

/* ---- the current thread ---- */

/* Offset of a thread's number from the thread pointer: glibc, musl. */
static const uint16_t tid_offsets[] = {0x2d0, 0x30, 0x38};

/* A program that has just been executed sets its thread pointer before the number. */
#define TID_TRIES 100

static uint32_t at_thread_pointer(uint16_t offset)
{
	uint32_t value;

	__asm__ volatile("movl %%fs:(%1), %0" : "=r"(value) : "r"((uint64_t)offset));
	return value;
}

static uint32_t system_tid(void)
{
	return (uint32_t)agent_syscall(__NR_gettid, 0, 0, 0, 0, 0, 0);
}

uint64_t fs_ask(void)
{
	uint64_t base = 0, self;

	agent_syscall(__NR_arch_prctl, ARCH_GET_FS, (uintptr_t)&base, 0, 0, 0, 0);
	if (base && port_read_once(&agent_head.fs) == AGENT_FS_UNKNOWN &&
	    target_peek(&self, base, sizeof(self)) == sizeof(self))
		port_write_once(&agent_head.fs, self == base ? AGENT_FS_SELF : AGENT_FS_CALL);
	return base;
}

int target_init(void)
{
	target.stacks = port_alloc(agent_head.nslots * sizeof(*target.stacks));
	return target.stacks ? 0 : -ENOMEM;
}

void target_child(void)
{
	agent_own()->pid = (uint32_t)agent_syscall(__NR_getpid, 0, 0, 0, 0, 0, 0);
}

void target_note_stranger(void)
{
	const uint16_t offset = port_read_once(&target.tid_offset);
	uint32_t known;

	if (offset &&
	    target_peek(&known, agent_thread_pointer() + offset, sizeof(known)) == sizeof(known) &&
	    known != system_tid())
		(void)port_cas(&agent_own()->shared, 0, 1);
}

uint32_t target_pid(void)
{
	return agent_pid();
}

/* Ask the kernel for the thread's number, and try to find where the C library keeps it. */
static port_noinline uint32_t tid_learn(void)
{
	const uint32_t tid = system_tid();
	const uint64_t tp = agent_thread_pointer();
	uint32_t found;

	if (!tp || target.tid_tries >= TID_TRIES)
		return tid;
	target.tid_tries++;
	for (unsigned int i = 0; i < sizeof(tid_offsets) / sizeof(tid_offsets[0]); i++)
		if (target_peek(&found, tp + tid_offsets[i], sizeof(found)) == sizeof(found) &&
		    found == tid) {
			port_write_once(&target.tid_offset, tid_offsets[i]);
			break;
		}
	return tid;
}

uint32_t target_tid(void)
{
	const uint16_t offset = port_read_once(&target.tid_offset);

	if (port_unlikely(port_read_once(&agent_own()->shared)))
		return system_tid();
	return port_likely(offset) ? at_thread_pointer(offset) : tid_learn();
}

/* The kernel reuses thread numbers only after all others, so a number alone identifies a thread. */
void target_thread(struct target_thread *t)
{
	uint32_t pid = target_pid(), tid = target_tid();

	*t = (struct target_thread){
		.key = tid,
		.born = pid,
		.pid = pid == agent_head.own_pid ? agent_head.pid : pid,
		.tid = tid,
	};
	if (tid == pid)
		t->tid = t->pid;
}

void target_thread_more(struct target_thread *t)
{
	t->ppid = (uint32_t)agent_syscall(__NR_getppid, 0, 0, 0, 0, 0, 0);
	t->uid = (uint32_t)agent_syscall(__NR_getuid, 0, 0, 0, 0, 0, 0);
	t->gid = (uint32_t)agent_syscall(__NR_getgid, 0, 0, 0, 0, 0, 0);
}

/* Read at most size bytes of a file. Return their number, 0 if it cannot be read. */
static size_t target_read(const char *path, char *buf, size_t size)
{
	int64_t fd =
		agent_syscall(__NR_open, (uintptr_t)path, 02000000 /* O_CLOEXEC */, 0, 0, 0, 0);
	int64_t n = 0;

	if (fd >= 0) {
		n = agent_syscall(__NR_read, (uint64_t)fd, (uintptr_t)buf, size, 0, 0, 0);
		agent_syscall(__NR_close, (uint64_t)fd, 0, 0, 0, 0, 0);
	}
	return n > 0 ? (size_t)n : 0;
}

#define PR_GET_NAME 16

void target_execname(char *buf, size_t size)
{
	char name[16] = "";
	size_t n;

	agent_syscall(__NR_prctl, PR_GET_NAME, (uintptr_t)name, 0, 0, 0, 0);
	name[sizeof(name) - 1] = '\0';
	n = strlen(name);
	if (n >= size)
		n = size - 1;
	memcpy(buf, name, n);
	buf[n] = '\0';
}

size_t target_args(char *buf, size_t size)
{
	return target_read("/proc/thread-self/cmdline", buf, size);
}

/*
 * Return the parent in a line of /proc/PID/stat. The second field may contain spaces and
 * parentheses.
 */
static uint32_t parent_of(char *line, size_t n)
{
	uint32_t parent = 0;
	size_t at = n;

	while (at && line[at - 1] != ')')
		at--;
	for (at += 3; at < n && line[at] >= '0' && line[at] <= '9'; at++)
		parent = parent * 10 + (uint32_t)(line[at] - '0');
	return parent;
}

#define ANCESTORS_MAX 64

bool target_progenyof(const void *pid_ns, uint32_t pid)
{
	uint32_t at = target_pid();
	char path[32], line[128];

	(void)pid_ns;
	if (pid == agent_head.pid && at == agent_head.own_pid)
		return true;
	for (unsigned int i = 0; at && i < ANCESTORS_MAX; i++) {
		if (at == pid)
			return true;
		snprintf(path, sizeof(path), "/proc/%u/stat", at);
		at = parent_of(line, target_read(path, line, sizeof(line)));
	}
	return false;
}

/* struct new_utsname of the kernel: six strings of 65 bytes, the second is the host's name */
#define UTS_LEN 65

void target_zone(struct target_zone *z)
{
	char names[6][UTS_LEN];

	*z = (struct target_zone){.id = agent_head.zone};
	if (agent_syscall(__NR_uname, (uintptr_t)names, 0, 0, 0, 0, 0) == 0)
		memcpy(z->name, names[1], sizeof(z->name));
}

/* ---- stacks and registers ---- */

/* Copy the top of a stack. Without a copy, it is read word by word. */
static void stack_copy(struct stack_copy *copy, uint64_t sp)
{
	int64_t n = target_peek(copy->bytes, sp, sizeof(copy->bytes));

	copy->from = sp;
	copy->size = n > 0 ? (size_t)n : 0;
}

int target_ustack(uint64_t *pcs, uint64_t *fps, unsigned int n, const void *regs, unsigned int how)
{
	/* by the numbers of DWARF */
	static const uint8_t words[DTRACE_UNWIND_NREGS] = {RAX, RDX, RCX, RBX, RSI, RDI, RBP, RSP,
							   R8,	R9,  R10, R11, R12, R13, R14, R15};
	const struct dtrace_unwind_maps *maps =
		how & TARGET_USTACK_TABLES ? agent_unwind_maps() : NULL;
	struct stack_copy *copy = &target.stacks[agent_slot->number];
	struct dtrace_unwind_regs unwind = {.word = 8};
	const struct usdt_regs *r = regs;
	bool stray = false;

	if (!r)
		return 0;
	unwind.pc = r->words[RIP];
	unwind.no_frame = how & TARGET_USTACK_NO_FRAME;
	for (unsigned int i = 0; i < DTRACE_UNWIND_NREGS; i++)
		unwind.regs[i] = r->words[words[i]];
	stack_copy(copy, r->words[RSP]);
	n = dtrace_unwind(maps, &unwind, pcs, fps, n, &stray);
	copy->size = 0;
	if ((how & TARGET_USTACK_TABLES) && (!maps || stray))
		port_write_once(&agent_head.unwind_missing, 1);
	return (int)n;
}

const struct dtrace_helpers *target_helpers(void)
{
	return agent_helpers();
}

#define FLAG_INTERRUPTS 0x200u /* always set in programs */

/* Return the flags register. hit.S saves the flags of arithmetic only, by lahf and seto. */
static uint64_t flags_of(uint64_t saved)
{
	return (saved >> 8 & 0xff) | (saved & 1) << 11 | FLAG_INTERRUPTS;
}

int target_reg(uint64_t *value, unsigned int reg, const void *regs)
{
	const struct usdt_regs *r = regs;

	if (!r || reg >= sizeof(r->words) / sizeof(r->words[0]))
		return -EINVAL;
	*value = reg == EFLAGS ? flags_of(r->words[EFLAGS]) : r->words[reg];
	return 0;
}

/* ---- actions ---- */

/*
 * A signal is sent after the thread has given its slot back: the handler may leave by longjmp(),
 * and a stopped process must not keep a slot. Each slot has space for one signal; a different
 * signal of the same firing is refused.
 */
static uint8_t target_signals[AGENT_SLOTS_MAX];

int target_raise(unsigned int sig)
{
	uint8_t *pending = &target_signals[agent_slot->number];

	if (sig < 1 || sig > 64)
		return -EINVAL;
	if (*pending && *pending != sig)
		return -EAGAIN;
	*pending = (uint8_t)sig;
	return 0;
}

int target_stop(void)
{
	return target_raise(19 /* SIGSTOP */);
}

void target_recover(void)
{
	target.stacks[agent_slot->number].size = 0;
	target_signals[agent_slot->number] = 0;
}

unsigned int target_take_signal(void)
{
	uint8_t *pending = &target_signals[agent_slot->number];
	unsigned int sig = *pending;

	if (port_unlikely(sig))
		*pending = 0;
	return sig;
}

void target_send(unsigned int sig)
{
	agent_syscall(__NR_kill, target_pid(), sig, 0, 0, 0, 0);
}
