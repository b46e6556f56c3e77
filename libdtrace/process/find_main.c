/* SPDX-License-Identifier: MIT */
/*
 * find_main.c - finds the calls on the way from a program's entry point to main. startup.c looks at
 * their arguments. Code behind a conditional branch is not looked at.
 */
#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include "find_main.h"
#include "insn.h"
#include "mappings.h"
#include "memory.h"
#include "procfs.h"

#define STEPS	 256 /* instructions that are looked at */
#define INSN_MAX 16  /* bytes that an instruction may have */

enum flow { FLOW_ON, FLOW_CALL, FLOW_JUMP, FLOW_SHORT, FLOW_RETURN, FLOW_BRANCH };

/* An instruction. opcode points behind its prefixes. */
struct step {
	uint8_t bytes[INSN_MAX];
	size_t size;
	const uint8_t *opcode;
};

/* Return 32 or 64 as the file of a process says, 0 if it cannot be read. */
static int program_bits(pid_t pid)
{
	unsigned char ident[EI_NIDENT];
	const int fd = dt_proc_open(pid, O_RDONLY, "exe");
	ssize_t n;

	if (fd == -1)
		return 0;
	n = read(fd, ident, sizeof(ident));
	close(fd);
	if (n != sizeof(ident))
		return 0;
	return ident[EI_CLASS] == ELFCLASS64 ? 64 : 32;
}

bool find_main_open(struct find_main *find, pid_t pid)
{
	*find = (struct find_main){.pid = pid, .bits = program_bits(pid)};
	if (find->bits == 0 || !dt_auxv(pid, AT_ENTRY, &find->entry))
		return false;
	find->at = find->entry;
	return dt_mapping_find(pid, find->entry, &find->lo, &find->hi);
}

/* Read the next instruction. Return false if there is none. A mapping may end behind it. */
static bool step_read(struct step *step, const struct find_main *find)
{
	struct insn_text text = {.bytes = step->bytes, .addr = find->at, .bits = find->bits};

	memset(step->bytes, 0, sizeof(step->bytes));
	for (text.size = INSN_MAX; text.size > 0; text.size--)
		if (dt_memory_read(find->pid, find->at, step->bytes, text.size))
			break;
	step->size = insn_length(&text, &step->opcode);
	return step->size != 0;
}

/* Return what an instruction does to the flow of control. */
static enum flow step_flow(const struct step *step)
{
	const uint8_t *op = step->opcode;

	switch (*op) {
	case 0xe8:
		return FLOW_CALL;
	case 0xe9:
		return FLOW_JUMP;
	case 0xeb:
		return FLOW_SHORT;
	case 0xc2:
	case 0xc3:
		return FLOW_RETURN;
	case 0xff:
		return (op[1] >> 3 & 7) == 2   ? FLOW_CALL
		       : (op[1] >> 3 & 7) == 4 ? FLOW_JUMP
					       : FLOW_ON;
	case 0x0f:
		return (op[1] & 0xf0) == 0x80 ? FLOW_BRANCH : FLOW_ON;
	default:
		return (*op & 0xf0) == 0x70 || (*op >= 0xe0 && *op <= 0xe3) ? FLOW_BRANCH : FLOW_ON;
	}
}

/* Return the target of a direct jump or call. */
static uint64_t step_target(const struct step *step, const struct find_main *find)
{
	uint64_t next = find->at + step->size;
	int32_t distance;

	if (*step->opcode == 0xeb)
		distance = (int8_t)step->opcode[1];
	else
		memcpy(&distance, step->opcode + 1, sizeof(distance));
	return find->bits == 64 ? next + distance : (uint32_t)(next + distance);
}

/* Pass an instruction that is no call. Return false if the next one depends on data. */
static bool find_pass(struct find_main *find, const struct step *step, enum flow flow)
{
	if (flow == FLOW_ON)
		find->at += step->size;
	else if (flow == FLOW_SHORT)
		find->at = step_target(step, find);
	else if (flow == FLOW_RETURN && find->depth > 0)
		find->at = find->returns[--find->depth];
	else
		return false;
	return true;
}

/* Note all that find_main_enter() needs of a call: later its bytes may be a breakpoint. */
static void find_note(struct find_main *find, const struct step *step, enum flow flow)
{
	find->target = *step->opcode != 0xff ? step_target(step, find) : 0;
	find->back = flow == FLOW_CALL ? find->at + step->size : 0;
}

uint64_t find_main_call(struct find_main *find)
{
	struct step step;
	enum flow flow;

	while (find->steps++ < STEPS && step_read(&step, find)) {
		flow = step_flow(&step);
		if (flow == FLOW_CALL || flow == FLOW_JUMP) {
			find_note(find, &step, flow);
			return find->at;
		}
		if (!find_pass(find, &step, flow))
			break;
	}
	return 0;
}

bool find_main_is_main(const struct find_main *find, uint64_t argument)
{
	return argument >= find->lo && argument < find->hi && argument != find->entry;
}

bool find_main_enter(struct find_main *find)
{
	if (find->target == 0 || (find->back != 0 && find->depth == FIND_MAIN_DEPTH))
		return false;
	if (find->back != 0)
		find->returns[find->depth++] = find->back;
	find->at = find->target;
	return true;
}
