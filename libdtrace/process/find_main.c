/* SPDX-License-Identifier: MIT */
/*
 * find_main.c - how a program comes from its entry point to its main. The C library's start function is
 * given main as its first argument, so the calls are followed, from _start on, until one is given an
 * address in the program's code. What they are given is for others to find out (startup.c): here is
 * only told where the calls are. Code behind a branch that depends on something is not looked at.
 */
#include <elf.h>
#include <stdio.h>
#include <string.h>
#include "find_main.h"
#include "insn.h"
#include "mappings.h"
#include "memory.h"

#define STEPS	  256
#define INSN_ROOM 16

enum flow { FLOW_ON, FLOW_CALL, FLOW_JUMP, FLOW_SHORT, FLOW_RETURN, FLOW_BRANCH };

/* An instruction, and behind its prefixes the opcode. */
struct insn {
	uint8_t bytes[INSN_ROOM];
	size_t size;
	const uint8_t *opcode;
};

/* 32 or 64, as its file says; 0: it cannot be read. */
static int route_bits(pid_t pid)
{
	unsigned char ident[EI_NIDENT];
	char path[64];
	size_t n;
	FILE *fp;

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	fp = fopen(path, "re");
	n = fp != NULL ? fread(ident, 1, sizeof(ident), fp) : 0;
	if (fp != NULL)
		fclose(fp);
	if (n != sizeof(ident))
		return 0;
	return ident[EI_CLASS] == ELFCLASS64 ? 64 : 32;
}

bool dt_route_open(struct dt_route *route, pid_t pid)
{
	*route = (struct dt_route){.pid = pid, .bits = route_bits(pid)};
	if (route->bits == 0 || !dt_auxv(pid, AT_ENTRY, &route->entry))
		return false;
	route->at = route->entry;
	return dt_mapping_find(pid, route->entry, &route->lo, &route->hi);
}

/* Near the end of a mapping there are fewer bytes. */
static bool insn_read(struct insn *insn, const struct dt_route *route)
{
	struct pid_text text = {.bytes = insn->bytes, .addr = route->at, .bits = route->bits};

	memset(insn->bytes, 0, sizeof(insn->bytes));
	for (text.size = INSN_ROOM; text.size > 0; text.size--)
		if (dt_memory_read(route->pid, route->at, insn->bytes, text.size))
			break;
	insn->size = pid_code_length(&text, &insn->opcode);
	return insn->size != 0;
}

static enum flow insn_flow(const struct insn *insn)
{
	const uint8_t *op = insn->opcode;

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
		return (op[1] >> 3 & 7) == 2 ? FLOW_CALL :
		       (op[1] >> 3 & 7) == 4 ? FLOW_JUMP :
					       FLOW_ON;
	case 0x0f:
		return (op[1] & 0xf0) == 0x80 ? FLOW_BRANCH : FLOW_ON;
	default:
		return (*op & 0xf0) == 0x70 || (*op >= 0xe0 && *op <= 0xe3) ? FLOW_BRANCH : FLOW_ON;
	}
}

/* Where one leads that says so itself. */
static uint64_t insn_target(const struct insn *insn, const struct dt_route *route)
{
	uint64_t next = route->at + insn->size;
	int32_t distance;

	if (*insn->opcode == 0xeb)
		distance = (int8_t)insn->opcode[1];
	else
		memcpy(&distance, insn->opcode + 1, sizeof(distance));
	return route->bits == 64 ? next + distance : (uint32_t)(next + distance);
}

/* Past an instruction that is no call; false: where that is depends. */
static bool route_pass(struct dt_route *route, const struct insn *insn, enum flow flow)
{
	if (flow == FLOW_ON)
		route->at += insn->size;
	else if (flow == FLOW_SHORT)
		route->at = insn_target(insn, route);
	else if (flow == FLOW_RETURN && route->depth > 0)
		route->at = route->returns[--route->depth];
	else
		return false;
	return true;
}

/* All that is to be known of a call, before somebody puts a breakpoint there. */
static void route_note(struct dt_route *route, const struct insn *insn, enum flow flow)
{
	route->target = *insn->opcode != 0xff ? insn_target(insn, route) : 0;
	route->back = flow == FLOW_CALL ? route->at + insn->size : 0;
}

uint64_t dt_route_call(struct dt_route *route)
{
	struct insn insn;
	enum flow flow;

	while (route->steps++ < STEPS && insn_read(&insn, route)) {
		flow = insn_flow(&insn);
		if (flow == FLOW_CALL || flow == FLOW_JUMP) {
			route_note(route, &insn, flow);
			return route->at;
		}
		if (!route_pass(route, &insn, flow))
			break;
	}
	return 0;
}

bool dt_route_is_main(const struct dt_route *route, uint64_t argument)
{
	return argument >= route->lo && argument < route->hi && argument != route->entry;
}

bool dt_route_enter(struct dt_route *route)
{
	if (route->target == 0 || (route->back != 0 && route->depth == DT_ROUTE_DEPTH))
		return false;
	if (route->back != 0)
		route->returns[route->depth++] = route->back;
	route->at = route->target;
	return true;
}
