/* SPDX-License-Identifier: MIT */
/*
 * unwind.c - stacks by unwind tables: those of programs at many of their instructions are what
 * libdw's own unwinder says; tables that are wrong are refused, or do no harm. Arguments: programs
 * to try (unwind_victim, built in several ways).
 */
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include "executes.h"
#include "engine.h"
#include "../../libdtrace/process/mappings.h"
#include "../../libdtrace/symbols/segment.h"
#include "../../libdtrace/symbols/unwind_table.h"
#include "../lib/random.h"

#define FRAMES	   40
#define EVERY	   3   /* instructions between looks */
#define VDSO_LOOKS 300 /* one after another in the vdso, where no call takes as many instructions */
#define MAXMAPS	   32
#define USER32_CS  0x23 /* what a process of 32 bits has there */

static char **victims;
static int nvictims;
static pid_t child; /* whose memory is read; 0: fake */
static uint64_t fake[512];
static struct dtrace_unwind_maps *maps;
static struct dtrace_unwind_table tables[MAXMAPS];
static struct dt_unwind_table *made[MAXMAPS];

/* ---- what the unwinder asks for ---- */

int __wrap_target_load_user(void *dst, uint64_t addr, size_t n);
int __wrap_target_load_user(void *dst, uint64_t addr, size_t n)
{
	struct iovec to = {dst, n}, from = {(void *)(uintptr_t)addr, n};

	if (child != 0)
		return process_vm_readv(child, &to, 1, &from, 1, 0) == (ssize_t)n ? 0 : -EFAULT;
	if (addr > sizeof(fake) || n > sizeof(fake) - addr)
		return -EFAULT;
	memcpy(dst, (const char *)fake + addr, n);
	return 0;
}

/* ---- maps of the child ---- */

static uint64_t bias_of(Elf *elf, const struct dt_mapping *map)
{
	struct dt_segments segs;
	uint64_t bias;

	assert_true(dt_segments_read(&segs, elf));
	assert_true(dt_segments_bias(&segs, map->start, map->offset, &bias));
	dt_segments_free(&segs);
	return bias;
}

static int map_add(void *arg, const struct dt_mapping *map)
{
	struct dtrace_unwind_map *to = &maps->list[maps->n];
	Elf *elf;
	int fd = maps->n < MAXMAPS ? dt_mapping_open(child, map) : -1;

	(void)arg;
	if (fd == -1)
		return 0;
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	made[maps->n] = dt_unwind_table_make(elf);
	assert_non_null(made[maps->n]);
	tables[maps->n] = (struct dtrace_unwind_table){
		made[maps->n]->addrs, made[maps->n]->index,  made[maps->n]->rules,
		made[maps->n]->nrows, made[maps->n]->nrules, made[maps->n]->word,
	};
	assert_int_equal(dtrace_unwind_verify(&tables[maps->n]), 0);
	*to = (struct dtrace_unwind_map){map->start, map->end,
					 bias_of(elf, map) + made[maps->n]->base, &tables[maps->n]};
	maps->n++;
	elf_end(elf);
	close(fd);
	return 0;
}

static void maps_read(void)
{
	maps = calloc(1, sizeof(*maps) + MAXMAPS * sizeof(maps->list[0]));
	dt_mappings(child, map_add, NULL);
	assert_true(maps->n >= 2); /* the program and the vdso */
}

static void maps_free(void)
{
	for (uint32_t i = 0; i < maps->n; i++)
		dt_unwind_table_free(made[i]);
	free(maps);
}

/* ---- the child's stack, twice ---- */

struct stack {
	uint64_t pcs[FRAMES];
	unsigned int n;
	bool whole; /* it is known to end where the thread begins */
};

static unsigned int child_word(void)
{
	struct user_regs_struct r;

	assert_int_equal(ptrace(PTRACE_GETREGS, child, NULL, &r), 0);
	return r.cs == USER32_CS ? 4 : 8;
}

static struct stack ours(void)
{
	struct dtrace_unwind_regs regs = {.word = child_word()};
	struct user_regs_struct r;
	struct stack stack;
	bool stray;

	assert_int_equal(ptrace(PTRACE_GETREGS, child, NULL, &r), 0);
	regs.pc = r.rip;
	memcpy(regs.regs,
	       (uint64_t[]){r.rax, r.rdx, r.rcx, r.rbx, r.rsi, r.rdi, r.rbp, r.rsp, r.r8, r.r9,
			    r.r10, r.r11, r.r12, r.r13, r.r14, r.r15},
	       sizeof(regs.regs));
	stack.n = dtrace_unwind(maps, &regs, stack.pcs, NULL, FRAMES, &stray);
	return stack;
}

/*
 * libdw's unwinder, with the child's registers and memory from here: its own way to read memory
 * takes too much of it for a word of 32 bits.
 */
static pid_t child_thread(Dwfl *dwfl, void *arg, void **thread)
{
	bool first = !*thread;

	(void)dwfl;
	*thread = arg;
	return first ? child : 0;
}

static bool child_memory(Dwfl *dwfl, Dwarf_Addr addr, Dwarf_Word *word, void *arg)
{
	(void)dwfl;
	*word = 0;
	return __wrap_target_load_user(word, addr, *(unsigned int *)arg) == 0;
}

static bool child_registers(Dwfl_Thread *thread, void *arg)
{
	struct user_regs_struct r;
	bool narrow = *(unsigned int *)arg == 4;

	assert_int_equal(ptrace(PTRACE_GETREGS, child, NULL, &r), 0);
	if (narrow)
		return dwfl_thread_state_registers(thread, 0, 9,
						   (Dwarf_Word[]){r.rax, r.rcx, r.rdx, r.rbx, r.rsp,
								  r.rbp, r.rsi, r.rdi, r.rip});
	return dwfl_thread_state_registers(thread, 0, 17,
					   (Dwarf_Word[]){r.rax, r.rdx, r.rcx, r.rbx, r.rsi, r.rdi,
							  r.rbp, r.rsp, r.r8, r.r9, r.r10, r.r11,
							  r.r12, r.r13, r.r14, r.r15, r.rip});
}

static int frame_take(Dwfl_Frame *frame, void *arg)
{
	struct stack *stack = arg;
	Dwarf_Addr pc;

	if (stack->n == FRAMES || !dwfl_frame_pc(frame, &pc, NULL))
		return DWARF_CB_ABORT;
	if (pc != 0)
		stack->pcs[stack->n++] = pc;
	return DWARF_CB_OK;
}

static struct stack theirs(Dwfl *dwfl)
{
	struct stack stack = {.n = 0};

	stack.whole = dwfl_getthread_frames(dwfl, child, frame_take, &stack) == 0;
	return stack;
}

static void stack_print(const char *who, const struct stack *stack, Dwfl *dwfl)
{
	print_message("%s:\n", who);
	for (unsigned int i = 0; i < stack->n; i++) {
		Dwfl_Module *mod = dwfl_addrmodule(dwfl, stack->pcs[i]);
		const char *name = mod ? dwfl_module_addrname(mod, stack->pcs[i]) : NULL;
		Dwarf_Addr start = 0;
		const char *file =
			mod ? dwfl_module_info(mod, NULL, &start, NULL, NULL, NULL, NULL, NULL)
			    : "?";

		print_message("  %#" PRIx64 " %s (%s+%#" PRIx64 ")\n", stack->pcs[i],
			      name ? name : "?", file, stack->pcs[i] - start);
	}
}

/*
 * Of what it has restored so far: the tables say where it will go, not where it came from. That is
 * in a register, or in the jmp_buf.
 */
static bool in_longjmp(Dwfl *dwfl, uint64_t pc)
{
	Dwarf_Addr bias;
	Dwfl_Module *mod = dwfl_addrmodule(dwfl, pc);
	Dwarf_CFI *cfi = mod ? dwfl_module_eh_cfi(mod, &bias) : NULL;
	Dwarf_Op mem[3], *ops = mem;
	Dwarf_Frame *frame;
	size_t n = 0;

	if (!cfi || dwarf_cfi_addrframe(cfi, pc - bias, &frame) != 0)
		return false;
	dwarf_frame_register(frame, child_word() == 4 ? 8 : 16, mem, &ops, &n);
	free(frame);
	return n == 1 || (n == 2 && ops[1].atom == DW_OP_plus_uconst &&
			  (Dwarf_Sword)ops[1].number != -(Dwarf_Sword)child_word());
}

/*
 * Return whether the stacks are equal. The file's data may be wrong, as for some functions of the
 * 32-bit C library behind a push: then both are short, and their length does not matter.
 */
static bool stack_same(const struct stack *mine, const struct stack *other)
{
	unsigned int n = mine->n < other->n ? mine->n : other->n;

	return (!other->whole || mine->n == other->n) &&
	       memcmp(mine->pcs, other->pcs, n * sizeof(mine->pcs[0])) == 0;
}

/*
 * Return whether pc is in the vdso, which reads clocks again and again while they change. For so
 * slow a reader they always change.
 */
static bool in_vdso(Dwfl *dwfl, Dwarf_Addr pc)
{
	Dwfl_Module *mod = dwfl_addrmodule(dwfl, pc);
	const char *name =
		mod ? dwfl_module_info(mod, NULL, NULL, NULL, NULL, NULL, NULL, NULL) : NULL;

	return name && strncmp(name, "[vdso", 5) == 0;
}

/*
 * True: the stack is known as a whole, or need not be. *looks: how many there were in the vdso
 * since it was entered.
 */
static bool compare(const char *program, Dwfl *dwfl, unsigned int *looks)
{
	struct stack mine = ours(), other = theirs(dwfl);

	*looks = in_vdso(dwfl, mine.pcs[0]) ? *looks + 1 : 0;
	if (in_longjmp(dwfl, mine.pcs[0]))
		return true;
	if (stack_same(&mine, &other))
		return other.whole || in_vdso(dwfl, mine.pcs[0]);
	stack_print("ours", &mine, dwfl);
	stack_print("libdw's", &other, dwfl);
	fail_msg("%s: the stacks differ", program);
	return false;
}

/* ---- the child ---- */

static void child_start(const char *program)
{
	int status;

	child = fork();
	if (child == 0) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		execl(program, program, NULL);
		_exit(127);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(ptrace(PTRACE_SETOPTIONS, child, NULL, PTRACE_O_EXITKILL), 0);
	do {
		ptrace(PTRACE_CONT, child, NULL, NULL);
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_true(WIFSTOPPED(status));
	} while (WSTOPSIG(status) != SIGSTOP);
}

/*
 * Step to the next instruction, with a signal that was pending. Return false if the child has ended
 * well.
 */
static bool child_step(int *signal)
{
	int status;

	assert_int_equal(ptrace(PTRACE_SINGLESTEP, child, NULL, *signal), 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	*signal = WIFSTOPPED(status) && WSTOPSIG(status) != SIGTRAP ? WSTOPSIG(status) : 0;
	if (WIFSTOPPED(status))
		return true;
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	return false;
}

/*
 * Let the child run on until it leaves the vdso. It reads a clock there, and begins again if the
 * clock has changed meanwhile: a single-stepped child may do so for minutes.
 */
static void child_leave_vdso(Dwfl *dwfl)
{
	struct stack mine = ours();
	struct user_regs_struct r;
	unsigned int caller = 0;
	long code;
	int status;

	while (caller < mine.n && in_vdso(dwfl, mine.pcs[caller]))
		caller++;
	assert_true(caller < mine.n);
	code = ptrace(PTRACE_PEEKTEXT, child, mine.pcs[caller], NULL);
	assert_int_equal(ptrace(PTRACE_POKETEXT, child, mine.pcs[caller], (code & ~0xffL) | 0xcc),
			 0);
	assert_int_equal(ptrace(PTRACE_CONT, child, NULL, NULL), 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSTOPPED(status) && WSTOPSIG(status) == SIGTRAP);
	assert_int_equal(ptrace(PTRACE_POKETEXT, child, mine.pcs[caller], code), 0);
	assert_int_equal(ptrace(PTRACE_GETREGS, child, NULL, &r), 0);
	r.rip--;
	assert_int_equal(r.rip, mine.pcs[caller]);
	assert_int_equal(ptrace(PTRACE_SETREGS, child, NULL, &r), 0);
}

static Dwfl *child_dwfl(void)
{
	static const Dwfl_Callbacks callbacks = {
		.find_elf = dwfl_linux_proc_find_elf,
		.find_debuginfo = dwfl_standard_find_debuginfo,
	};
	static const Dwfl_Thread_Callbacks threads = {
		.next_thread = child_thread,
		.memory_read = child_memory,
		.set_initial_registers = child_registers,
	};
	static unsigned int word;
	Dwfl *dwfl = dwfl_begin(&callbacks);

	assert_int_equal(dwfl_linux_proc_report(dwfl, child), 0);
	assert_int_equal(dwfl_report_end(dwfl, NULL, NULL), 0);
	word = child_word();
	assert_true(dwfl_attach_state(dwfl, NULL, child, &threads, &word));
	return dwfl;
}

static void try(const char *program)
{
	unsigned int steps = 0, whole = 0, looks = 0;
	int signal = 0;
	Dwfl *dwfl;

	child_start(program);
	dwfl = child_dwfl();
	maps_read();
	while (child_step(&signal)) {
		if (steps++ % EVERY == 0)
			whole += compare(program, dwfl, &looks);
		if (looks > VDSO_LOOKS) {
			child_leave_vdso(dwfl);
			looks = 0;
		}
	}
	assert_true(steps > 1000);
	assert_true(whole * 100 > steps / EVERY * 97);
	dwfl_end(dwfl);
	maps_free();
	child = 0;
}

static void stacks_are_as_libdw_says(void **state)
{
	(void)state;
	assert_true(nvictims > 0);
	for (int i = 0; i < nvictims; i++)
		try(victims[i]);
}

/* ---- tables that are wrong ---- */

static void bad_tables_are_refused(void **state)
{
	static const uint32_t addrs[] = {0, 16, 16};
	static const uint16_t index[] = {0, 1, 0};
	static const dtrace_unwind_rule_t good = {
		.dtur_kind = DTRACE_UNWIND_CFA, .dtur_base = 7, .dtur_cfa = 8};
	dtrace_unwind_rule_t rule = good;
	struct dtrace_unwind_table t = {addrs, index, &rule, 1, 1, 8};

	(void)state;
	assert_int_equal(dtrace_unwind_verify(&t), 0);
	t.nrows = 2; /* of which one has a rule that there is not */
	assert_int_equal(dtrace_unwind_verify(&t), -EINVAL);
	t.index = (const uint16_t[]){0, 0, 0};
	assert_int_equal(dtrace_unwind_verify(&t), 0);
	t.nrows = 3; /* of which two have the same address */
	assert_int_equal(dtrace_unwind_verify(&t), -EINVAL);
	t.nrows = 2;
	rule.dtur_kind = DTRACE_UNWIND_NKINDS;
	assert_int_equal(dtrace_unwind_verify(&t), -EINVAL);
	rule = good;
	rule.dtur_base = DTRACE_UNWIND_NREGS;
	assert_int_equal(dtrace_unwind_verify(&t), -EINVAL);
	rule = good;
	rule.dtur_ra = DTRACE_UNWIND_NREGS + 1;
	assert_int_equal(dtrace_unwind_verify(&t), -EINVAL);
	rule = good;
	rule.dtur_fromfp = 1 << DTRACE_UNWIND_NSAVED;
	assert_int_equal(dtrace_unwind_verify(&t), -EINVAL);
	rule = good;
	rule.dtur_pad[2] = 1;
	assert_int_equal(dtrace_unwind_verify(&t), -EINVAL);
	rule = good;
	t.word = 4; /* where there are eight registers */
	assert_int_equal(dtrace_unwind_verify(&t), 0);
	rule.dtur_base = 8;
	assert_int_equal(dtrace_unwind_verify(&t), -EINVAL);
	rule = good;
	rule.dtur_ra = 1 + 8;
	assert_int_equal(dtrace_unwind_verify(&t), -EINVAL);
	rule = good;
	t.word = 16;
	assert_int_equal(dtrace_unwind_verify(&t), -EINVAL);
}

static uint64_t any(void)
{
	static uint64_t seed = RANDOM_SEED;

	return random_next(&seed);
}

static void rule_any(dtrace_unwind_rule_t *r, unsigned int nregs)
{
	*r = (dtrace_unwind_rule_t){.dtur_kind = any() % DTRACE_UNWIND_NKINDS,
				    .dtur_base = any() % 4 ? 7 : any() % nregs,
				    .dtur_ra = any() % 4 ? 0 : any() % (nregs + 1),
				    .dtur_arg = (uint8_t)any(),
				    .dtur_cfa = (int32_t)(any() % 8 ? any() % 64 * 8 : any()),
				    .dtur_fromfp = any() % (1 << DTRACE_UNWIND_NSAVED)};
	for (unsigned int i = 0; i < DTRACE_UNWIND_NSAVED; i++)
		r->dtur_saved[i] = (int16_t)(any() % 3 ? any() % 32 : any());
}

#define RULES 32

/* Memory and registers, that lead to code and into memory as often as not. */
static void child_any(struct dtrace_unwind_regs *regs)
{
	for (size_t i = 0; i < sizeof(fake); i += regs->word) {
		uint64_t x = any() % 2 ? 0x1001 + any() % (RULES * 16) : any() % sizeof(fake);

		memcpy((char *)fake + i, &x, regs->word);
	}
	for (unsigned int i = 0; i < DTRACE_UNWIND_NREGS; i++)
		regs->regs[i] = any() % 8 ? any() % sizeof(fake) : any();
	regs->pc = 0x1000 + any() % (RULES * 16);
}

/* Rules, registers and memory at random: it ends, and asks for memory through the port only. */
static void wrong_rules(unsigned int word)
{
	dtrace_unwind_rule_t rules[RULES];
	uint32_t addrs[RULES];
	uint16_t index[RULES];
	const struct dtrace_unwind_table t = {addrs, index, rules, RULES, RULES, word};
	struct dtrace_unwind_regs regs = {.word = word};
	uint64_t pcs[FRAMES], fps[FRAMES];
	unsigned int deepest = 0;
	bool stray;

	maps = calloc(1, sizeof(*maps) + sizeof(maps->list[0]));
	maps->n = 1;
	maps->list[0] = (struct dtrace_unwind_map){0x1000, 0x1000 + RULES * 16, 0x1000, &t};
	for (int round = 0; round < 20000; round++) {
		unsigned int n;

		for (int i = 0; i < RULES; i++) {
			addrs[i] = i * 16;
			index[i] = i;
			rule_any(&rules[i], word == 4 ? 8 : DTRACE_UNWIND_NREGS);
		}
		assert_int_equal(dtrace_unwind_verify(&t), 0);
		child_any(&regs);
		n = dtrace_unwind(maps, &regs, pcs, any() % 2 ? fps : NULL, FRAMES, &stray);
		assert_in_range(n, 1, FRAMES);
		assert_int_equal(pcs[0], regs.pc);
		deepest = n > deepest ? n : deepest;
	}
	assert_true(deepest > 5);
	free(maps);
}

static void wrong_rules_do_no_harm(void **state)
{
	(void)state;
	wrong_rules(8);
	wrong_rules(4);
}

/* A table for code of another kind is not used. */
static void tables_are_for_one_kind_of_code(void **state)
{
	static const uint32_t addrs[] = {0};
	static const uint16_t index[] = {0};
	static const dtrace_unwind_rule_t end = {.dtur_kind = DTRACE_UNWIND_END};
	struct dtrace_unwind_table t = {addrs, index, &end, 1, 1, 4};
	struct dtrace_unwind_regs regs = {.word = 8, .pc = 0x1000, .regs = {[6] = 64, [7] = 8}};
	uint64_t pcs[2];
	bool stray;

	(void)state;
	fake[9] = 0x1004;
	maps = calloc(1, sizeof(*maps) + sizeof(maps->list[0]));
	maps->n = 1;
	maps->list[0] = (struct dtrace_unwind_map){0x1000, 0x2000, 0x1000, &t};
	assert_int_equal(dtrace_unwind(maps, &regs, pcs, NULL, 2, &stray), 2);
	assert_int_equal(pcs[1], 0x1004);
	t.word = 8;
	assert_int_equal(dtrace_unwind(maps, &regs, pcs, NULL, 2, &stray), 1);
	free(maps);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bad_tables_are_refused),
		cmocka_unit_test(wrong_rules_do_no_harm),
		cmocka_unit_test(tables_are_for_one_kind_of_code),
		cmocka_unit_test(stacks_are_as_libdw_says),
	};

	victims = argv + 1;
	nvictims = argc - 1;
	if (nvictims > 0 && !executes(victims[0]))
		return UNIT_SKIPPED;
	elf_version(EV_CURRENT);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
