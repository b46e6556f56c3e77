// SPDX-License-Identifier: MIT
/*
 * every.c - a function of 200 instructions of all kinds, with a probe at each of them.
 *
 *	every ROUNDS THREADS [FIRST LAST [PIPE PIPE]]
 *
 * Register a pid probe at each instruction of the function from number FIRST to LAST, half of them
 * in each of two registrations, write the pid to the first pipe, and wait for a line from the
 * second. Then threads call the function, and the program prints the sum of the results, the number
 * of instructions, and whether vector instructions were executed. For each instruction that could
 * not be probed, it prints "no probe", the offset and the text.
 *
 *	every steps ROUNDS THREADS
 *
 * Print the offset of each instruction that is executed, and how often. To count this, step a child
 * through one call for each argument.
 */
#include <err.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <dtrace/fasttrap.h>

#include "pid_dof.h"

/* An instruction, with its offset and its text in a table. */
#define I(text)                                                                                   \
	"1: " text "\n.pushsection every_texts, \"aS\"\n4444: .asciz \"" text "\"\n.popsection\n" \
	".pushsection every_insns, \"aw\"\n.quad 1b - every, 4444b\n.popsection\n"

struct insn {
	uint64_t offset;
	const char *text;
};

#define INPUTS 3 /* different arguments; only the argument decides the path through the function */

struct area {
	uint64_t words[16]; /* 0: the memory of rep stos and movs; 8: results */
	char from[64], to[64];
};

uint64_t every(struct area *area, uint64_t x);

/* clang-format off */
/* rbx: area, r12: the sum, r13: x. Each part adds to the sum. */
__asm__(".text\n.p2align 4\n.type every, @function\nevery:\n"
	/* the frame, and all registers that must be preserved */
	I("endbr64") I("push %rbp") I("mov %rsp, %rbp") I("push %rbx") I("push %r12")
	I("push %r13") I("push %r14") I("push %r15") I("sub $88, %rsp") I("mov %rdi, %rbx")
	I("mov %rsi, %r13") I("xor %r12d, %r12d")
	/* arithmetic, flags, conditional moves and sets */
	I("lea 7(%r13,%r13,2), %rax") I("add %rax, %r12") I("imul $31, %r13, %rcx")
	I("add %rcx, %r12") I("mov %r13, %rax") I("mov $10, %ecx") I("xor %edx, %edx")
	I("div %rcx") I("add %rdx, %r12") I("cmp $5, %rdx") I("cmovae %r13, %rax")
	I("setb %cl") I("movzbl %cl, %ecx") I("add %rcx, %r12") I("add %rax, %r12")
	I("stc") I("adc $0, %r12") I("bt $3, %r13") I("sbb $1, %r12") I("neg %rax")
	I("sar $2, %rax") I("xor %rax, %r12") I("bswap %rax") I("rol $9, %rax")
	I("add %rax, %r12") I("popcnt %r13, %rcx") I("add %rcx, %r12") I("cqto")
	I("sub %rdx, %r12") I("xchg %rax, %rcx") I("shld $5, %rcx, %rax") I("add %rax, %r12")
	/* flags, saved and restored */
	I("cmp %r13, %r13") I("pushfq") I("test %rbx, %rbx") I("popfq") I("setz %al")
	I("movzbl %al, %eax") I("add %rax, %r12") I("lahf") I("movzbl %ah, %eax")
	I("and $0x40, %eax") I("add %rax, %r12") I("std") I("cld")
	/* memory relative to the program counter, in all directions */
	I("mov every_constant(%rip), %rax") I("add %rax, %r12") I("lea every_constant(%rip), %rcx")
	I("add 8(%rcx), %r12") I("mov %r13, every_scratch(%rip)") I("movslq every_constant(%rip), %rdx")
	I("add %rdx, %r12") I("cmpq $17, every_constant(%rip)") I("sete %al")
	I("movzbl %al, %eax") I("add %rax, %r12")
	/* jumps: always, on every kind of condition, short and near, loops */
	I("jmp 2f") "2: " I("nop") I("mov $3, %ecx") "3: " I("add %rcx, %r12") I("loop 3b")
	I("jrcxz 4f") I("add $1000, %r12") "4: " I("test $1, %r13b") I("jz 5f")
	I("add $2, %r12") "5: " I("jnz 6f") I("add $3, %r12") "6: " I("cmp $7, %r13b")
	I("jl 7f") I("add $4, %r12") "7: " I("ja 8f") I("add $5, %r12") "8: " I("js 9f")
	I("add $6, %r12") "9: " I("jnp 10f") I("add $7, %r12") "10: " I("jo 11f")
	I("add $8, %r12") "11: " I(".byte 0x0f, 0x84; .long 12f - . - 4") I("add $9, %r12") "12: "
	I(".byte 0xe9; .long 13f - . - 4") I("ud2") "13: " I("mov $4, %ecx")
	"14: " I("dec %ecx") I("jne 14b") I("lea 15f(%rip), %rax") I("jmp *%rax") I("ud2")
	"15: " I("lea every_table(%rip), %rdx") I("mov %r13d, %ecx") I("and $1, %ecx")
	I("movslq (%rdx,%rcx,4), %rax") I("add %rdx, %rax") I("jmp *%rax")
	"every_even: " I("add $11, %r12") I("jmp 16f") "every_odd: " I("add $13, %r12") "16: " I("nopl 0(%rax)")
	I("nopw 512(%rax,%rax,1)") I(".byte 0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0") I("xchg %ax, %ax")
	/* calls: relative, by register, by memory, by memory near the program counter */
	I("mov %r13, %rdi") I("call every_callee") I("add %rax, %r12")
	I("lea every_callee(%rip), %rax") I("mov %rax, (%rsp)") I("mov %r13, %rdi")
	I("call *%rax") I("add %rax, %r12") I("mov %r13, %rdi") I("call *(%rsp)")
	I("add %rax, %r12") I("mov %r13, %rdi") I("call *every_pointer(%rip)") I("add %rax, %r12")
	I("push %r13") I("call every_callee_pop") I("add %rax, %r12") I("mov %r13, %rdi")
	I("call every_tail") I("add %rax, %r12") I("push 64(%rbx)") I("pop 72(%rbx)")
	I("push $-5") I("pop %rax") I("add %rax, %r12") I("enter $16, $0") I("leave")
	/* strings */
	I("lea (%rbx), %rdi") I("mov $8, %ecx") I("mov %r13, %rax") I("rep stosq")
	I("lea 128(%rbx), %rsi") I("lea 192(%rbx), %rdi") I("mov $40, %ecx") I("rep movsb")
	I("lea 128(%rbx), %rsi") I("lea 192(%rbx), %rdi") I("mov $40, %ecx") I("repe cmpsb")
	I("sete %al") I("movzbl %al, %eax") I("add %rax, %r12") I("lea 128(%rbx), %rdi")
	I("mov $'q', %eax") I("mov $40, %ecx") I("repne scasb") I("add %rcx, %r12")
	I("lea (%rbx), %rsi") I("lodsq") I("add %rax, %r12") I("movsq") I("stosl") I("scasb")
	/* SSE, AVX if the processor has it, x87 */
	I("movq %r13, %xmm0") I("punpcklqdq %xmm0, %xmm0") I("paddq every_vector(%rip), %xmm0")
	I("movq %xmm0, %rax") I("add %rax, %r12") I("cvtsi2sd %r13, %xmm1")
	I("mulsd every_double(%rip), %xmm1") I("cvttsd2si %xmm1, %rax") I("add %rax, %r12")
	I("ucomisd every_double(%rip), %xmm1") I("seta %al") I("movzbl %al, %eax") I("add %rax, %r12")
	I("pshufd $0x1b, %xmm0, %xmm2") I("movdqu %xmm2, 64(%rbx)") I("add 64(%rbx), %r12")
	I("cmpl $0, every_has_avx(%rip)") I("je 17f")
	/* AVX that the kernel steps over */
	I("vmovups every_vector(%rip), %ymm3") I("vpaddd %ymm3, %ymm3, %ymm4")
	I("vextracti128 $1, %ymm4, %xmm4") I("vmovups %xmm4, 64(%rbx)") I("add 64(%rbx), %r12")
	I("vbroadcastss every_single(%rip), %ymm8") I("vcvtsi2sd %r13, %xmm5, %xmm5")
	I("vaddsd every_double(%rip), %xmm5, %xmm5") I("vcvttsd2si %xmm5, %rax") I("add %rax, %r12")
	I("vucomisd every_double(%rip), %xmm5") I("seta %al") I("movzbl %al, %eax") I("add %rax, %r12")
	I("vmulps every_floats(%rip), %ymm8, %ymm9") I("vsubps %ymm8, %ymm9, %ymm10")
	I("vfmadd231ps every_floats(%rip), %ymm10, %ymm9") I("vdivps %ymm8, %ymm9, %ymm9")
	I("vmovups %ymm9, 96(%rbx)") I("add 96(%rbx), %r12") I("add 120(%rbx), %r12")
	I("vpshufb every_vector(%rip), %ymm3, %ymm5") I("vpermq $0x1b, %ymm3, %ymm6")
	I("vpblendd $0xa5, %ymm5, %ymm6, %ymm5") I("vinserti128 $1, %xmm3, %ymm5, %ymm6")
	I("vpmulld %ymm6, %ymm5, %ymm5") I("vpand %ymm3, %ymm6, %ymm6") I("vpsubd %ymm6, %ymm5, %ymm6")
	I("vpsrlq %xmm3, %ymm5, %ymm5") I("vpbroadcastq %xmm5, %ymm7") I("vpaddb %ymm7, %ymm5, %ymm5")
	I("vmovups every_mask(%rip), %ymm11") I("vgatherdps %ymm11, (%rbx,%ymm3,4), %ymm10")
	I("vblendvps %ymm11, %ymm5, %ymm10, %ymm5") I("vpmovmskb %ymm5, %eax") I("add %rax, %r12")
	I("vmovups %ymm5, 96(%rbx)") I("add 104(%rbx), %r12") I("add 112(%rbx), %r12")
	/* BMI, whose prefix is that of AVX */
	I("rorx $13, %r13, %rax") I("add %rax, %r12") I("shlx %rax, %r13, %rcx") I("andn %rcx, %rax, %rax")
	I("add %rax, %r12") I("mov %r13, %rdx") I("mulx every_constant(%rip), %rax, %rcx") I("add %rax, %r12")
	I("pdep %r12, %rdx, %rax") I("add %rax, %r12")
	/* AVX that the kernel does not step over */
	I("vmovdqu every_vector(%rip), %ymm3") I("vpaddd %ymm3, %ymm3, %ymm4")
	I("vextracti128 $1, %ymm4, %xmm4") I("vmovq %xmm4, %rax") I("add %rax, %r12")
	I("vxorps %xmm4, %xmm4, %xmm4") I("vpor %xmm3, %xmm4, %xmm5") I("vpshufd $0x4e, %xmm5, %xmm5")
	I("vcmpps $0, every_vector(%rip), %xmm5, %xmm6") I("vpaddq %xmm6, %xmm5, %xmm6")
	I("vmovdqu %xmm6, 64(%rbx)") I("add 64(%rbx), %r12")
	I("vzeroupper") "17: " I("mov %r13, 64(%rbx)") I("fildll 64(%rbx)") I("fadds every_single(%rip)")
	I("fistpll 64(%rbx)") I("add 64(%rbx), %r12")
	/* with locks, atomically */
	I("lock addq $3, 80(%rbx)") I("add 80(%rbx), %r12") I("mov $1, %eax")
	I("lock xadd %rax, 80(%rbx)") I("xchg %rax, 80(%rbx)") I("add %rax, %r12") I("mfence") I("pause")
	/* the kernel: getppid, the same for all threads; and rdtsc, whose result is not used */
	I("mov $110, %eax") I("syscall") I("cmp $-4095, %rax") I("jae 18f") I("add $21, %r12")
	"18: " I("rdtsc") I("xor %eax, %eax") I("cpuid") I("mov %fs:0, %rax") I("cmp %fs:0, %rax")
	I("sete %al") I("movzbl %al, %eax") I("add %rax, %r12")
	I("mov %r12, %rax") I("add $88, %rsp") I("pop %r15") I("pop %r14") I("pop %r13")
	I("pop %r12") I("pop %rbx") I("pop %rbp") I("ret")
	/* the functions that it calls */
	"every_callee: " I("lea 5(%rdi), %rax") I(".byte 0xf3, 0xc3")
	"every_callee_pop: " I("mov 8(%rsp), %rax") I("ret $8")
	"every_tail: " I("inc %rdi") I("jmp every_callee")
	".size every, . - every\n"
	".section .rodata\n.p2align 5\nevery_vector: .quad 1, 2, 3, 4\nevery_floats: .float 1, 2, 3, 4, 5, 6, 7, 8\n"
	"every_mask: .fill 8, 4, 0x80000000\nevery_constant: .quad 17, 19\n"
	"every_double: .double 2.5\nevery_single: .single 3\n.p2align 2\n"
	"every_table: .long every_even - every_table, every_odd - every_table\n"
	".data\n.p2align 3\nevery_pointer: .quad every_callee\nevery_scratch: .quad 0\n"
	"every_has_avx: .globl every_has_avx\n.long 0\n.text\n");
/* clang-format on */

extern int every_has_avx;
extern const struct insn __start_every_insns[], __stop_every_insns[];

static unsigned long rounds;

/* Return the argument of a thread's call: one of INPUTS. */
static unsigned int input(uint64_t thread, uint64_t round)
{
	return (unsigned int)((thread + round) % INPUTS);
}

static uint64_t call(struct area *area, unsigned int input)
{
	return every(area, (uint64_t)input * 333);
}

static void area_init(struct area *area)
{
	memset(area, 0, sizeof(*area));
	memcpy(area->from, "the quick brown fox jumps over the lazy dog", 43);
}

static void *thread_main(void *arg)
{
	uint64_t sum = 0, thread = (uintptr_t)arg;
	struct area area;

	area_init(&area);
	for (uint64_t i = 0; i < rounds; i++) {
		area.words[10] = thread * 1000 + i;
		sum = sum * 3 + call(&area, input(thread, i));
	}
	return (void *)(uintptr_t)sum;
}

static uint64_t run(unsigned int n)
{
	pthread_t threads[64];
	uint64_t sum = 0;
	void *result;

	for (unsigned int i = 0; i < n; i++)
		if (pthread_create(&threads[i], NULL, thread_main, (void *)(uintptr_t)i))
			errx(3, "no thread");
	for (unsigned int i = 0; i < n; i++) {
		pthread_join(threads[i], &result);
		sum ^= (uintptr_t)result;
	}
	return sum;
}

/* ---- probes ---- */

static size_t insns(void)
{
	return (size_t)(__stop_every_insns - __start_every_insns);
}

/* Return the number of the instruction at an offset; -1: there is none. */
static int insn_at(uint64_t offset)
{
	for (size_t i = 0; i < insns(); i++)
		if (__start_every_insns[i].offset == offset)
			return (int)i;
	return -1;
}

/* Register the instructions from number first to the one before end. */
static void register_between(int device, size_t first, size_t end)
{
	struct pid_site *sites = calloc(insns(), sizeof(*sites));
	char why[256] = "", (*names)[8] = calloc(insns(), sizeof(*names));
	dtrace_ft_register_t reg = {.dtfr_pid = getpid(),
				    .dtfr_flags = DTRACE_FT_PID,
				    .dtfr_errmsg = (uintptr_t)why,
				    .dtfr_errlen = sizeof(why)};
	size_t size, n = 0;

	if (!sites || !names)
		err(3, "calloc");
	for (size_t i = first; i < end; i++) {
		uint64_t offset = __start_every_insns[i].offset;

		snprintf(names[i], sizeof(names[i]), "%x", (unsigned)offset);
		sites[n++] = (struct pid_site){"every", names[i], (uintptr_t)every + offset, -1};
	}
	reg.dtfr_helper.dofhp_dof = (uintptr_t)pid_dof(sites, n, 0, &size);
	if (ioctl(device, DTRACEFTIOC_REGISTER, &reg) < 0)
		err(3, "%s", why);
	free(sites);
	free(names);
}

static int register_some(size_t first, size_t last)
{
	int device = open("/dev/dtrace/fasttrap", O_RDWR | O_CLOEXEC);
	size_t end = last < insns() ? last + 1 : insns(), middle = first + (end - first) / 2;

	if (device == -1)
		err(3, "/dev/dtrace/fasttrap");
	register_between(device, first, middle);
	register_between(device, middle, end);
	return device;
}

static void show_failures(int device)
{
	dtrace_ft_failure_t list[64];
	dtrace_ft_failures_t io = {.dtfl_list = (uintptr_t)list, .dtfl_capacity = 64};

	if (ioctl(device, DTRACEFTIOC_FAILURES, &io))
		err(3, "failures");
	for (uint32_t i = 0; i < io.dtfl_n && i < 64; i++) {
		uint64_t offset = list[i].dtfe_addr - (uintptr_t)every;

		printf("no probe %lx %s\n", (unsigned long)offset,
		       __start_every_insns[insn_at(offset)].text);
	}
}

/* ---- steps ---- */

/* Let the parent step through one call for each argument. */
static void stepped_main(void)
{
	struct area area;

	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
		_exit(1);
	for (unsigned int i = 0; i < INPUTS; i++) {
		area_init(&area);
		raise(SIGSTOP);
		call(&area, i);
	}
	_exit(0);
}

/* Wait for the child to stop. Return its address, and the signal in *sig; 0: it has ended. */
static uint64_t stop(pid_t child, int *sig)
{
	int status;

	if (waitpid(child, &status, 0) != child || (WIFEXITED(status) && WEXITSTATUS(status)))
		errx(3, "the child is lost");
	if (WIFEXITED(status))
		return 0;
	*sig = WSTOPSIG(status);
	return (uint64_t)ptrace(PTRACE_PEEKUSER, child, offsetof(struct user_regs_struct, rip),
				NULL);
}

/* Clear the trap flag, which a step over popfq leaves set. */
static void trap_flag_clear(pid_t child)
{
	size_t flags = offsetof(struct user_regs_struct, eflags);

	ptrace(PTRACE_POKEUSER, child, flags,
	       ptrace(PTRACE_PEEKUSER, child, flags, NULL) & ~0x100L);
}

/* Return whether a step has skipped an instruction, as a step over pause does under emulation. */
static int stepped_late(int before, int now)
{
	return before != -1 && now > before + 1 &&
	       strcmp(__start_every_insns[before].text, "pause") == 0;
}

/*
 * Step through one call, from the signal before it, and count the instructions at which it stops.
 */
static void step_call(pid_t child, unsigned long times, unsigned long *counts)
{
	int sig, now = -1, begun = 0;

	do {
		int before = now;

		ptrace(PTRACE_SINGLESTEP, child, NULL, NULL);
		now = insn_at(stop(child, &sig) - (uintptr_t)every);
		if (stepped_late(before, now))
			counts[before + 1] += times;
		if (now != -1)
			counts[now] += times;
		begun |= now != -1;
	} while (!begun || now != -1);
	trap_flag_clear(child);
	ptrace(PTRACE_CONT, child, NULL, NULL);
}

/* Return how many of all calls have an argument. */
static unsigned long calls(unsigned int of, unsigned int threads)
{
	unsigned long n = 0;

	for (unsigned int thread = 0; thread < threads; thread++)
		for (unsigned long round = 0; round < rounds; round++)
			n += input(thread, round) == of;
	return n;
}

static int steps(unsigned int threads)
{
	unsigned long *counts = calloc(insns(), sizeof(*counts));
	pid_t child = fork();
	int sig;

	if (child == 0)
		stepped_main();
	if (child == -1 || !counts)
		err(3, "steps");
	for (unsigned int i = 0; i < INPUTS; i++)
		if (stop(child, &sig) && sig == SIGSTOP)
			step_call(child, calls(i, threads), counts);
	if (stop(child, &sig))
		errx(3, "signal %d", sig);
	for (size_t i = 0; i < insns(); i++)
		if (counts[i])
			printf("%lx %lu\n", (unsigned long)__start_every_insns[i].offset,
			       counts[i]);
	return 0;
}

/* ---- */

static void meet(const char *tell, const char *wait)
{
	FILE *fp = fopen(tell, "w");
	char line[16];

	if (!fp)
		err(3, "%s", tell);
	fprintf(fp, "%d\n", (int)getpid());
	fclose(fp);
	fp = fopen(wait, "r");
	if (!fp || !fgets(line, sizeof(line), fp))
		err(3, "%s", wait);
	fclose(fp);
}

int main(int argc, char **argv)
{
	int device = -1;

	every_has_avx = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
			__builtin_cpu_supports("bmi2");
	if (argc < 3)
		return 3;
	if (strcmp(argv[1], "steps") == 0) {
		rounds = strtoul(argv[2], NULL, 10);
		return argc == 4 ? steps((unsigned)atoi(argv[3])) : 3;
	}
	rounds = strtoul(argv[1], NULL, 10);
	if (argc > 4)
		device = register_some(strtoul(argv[3], NULL, 10), strtoul(argv[4], NULL, 10));
	if (argc > 6)
		meet(argv[5], argv[6]);
	printf("sum %016lx\n", (unsigned long)run((unsigned)atoi(argv[2])));
	printf("%zu instructions, AVX %s\n", insns(),
	       every_has_avx ? "among them" : "not carried out");
	if (device != -1)
		show_failures(device);
	return 0;
}
