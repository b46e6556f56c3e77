// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * percpu.c - instructions that add to a variable of their CPU, or to one that all CPUs share: found
 * in the text, and read. The forms are those of Intel's manual, volume 2, chapter 2 and "ADD",
 * "SUB", "INC", "DEC".
 */
#include <linux/string.h>
#include <linux/types.h>
#include <linux/uaccess.h>

#include "insn_emulate.h"
#include "percpu.h"
#include "text.h"

#define PREFIX_GS   0x65
#define PREFIX_LOCK 0xf0
#define REX	    0x40
#define REX_W	    0x48 /* 64 bits */
#define REX_R	    4
#define REX_X	    2
#define REX_B	    1
#define LEAD_MIN    7 /* bytes of a lead */
#define LEAD_MAX    8

/* ---- one instruction ---- */

/* Read the opcode: what is added. extension: ModRM's register. False: another instruction. */
static bool percpu_add_opcode(struct percpu_add *add, uint8_t opcode, uint8_t extension)
{
	add->addend = PERCPU_NO_REGISTER;
	add->amount = 1;
	switch (opcode) {
	case 0x01: /* ADD from a register */
		add->addend = extension;
		return true;
	case 0x29: /* SUB */
		add->addend = extension;
		add->amount = -1;
		return true;
	case 0xff: /* INC, DEC */
		if ((extension & 7) == 1)
			add->amount = -1;
		return (extension & 7) < 2;
	case 0x81: /* ADD, SUB of a constant of 4 bytes, */
	case 0x83: /* of one */
		return (extension & 7) == 0 || (extension & 7) == 5;
	default:
		return false;
	}
}

/*
 * Read the address behind the opcode at code. Return the number of its bytes, or 0: it is a
 * register. relative: it is counted from the next instruction.
 */
static size_t percpu_add_address(struct percpu_add *add, const uint8_t *code, uint8_t rex,
				 bool *relative)
{
	uint8_t mod = code[0] >> 6, base = code[0] & 7;
	const uint8_t *p = code + 1;
	int32_t displacement = 0;

	if (mod == 3)
		return 0;
	add->index = PERCPU_NO_REGISTER;
	add->shift = 0;
	if (base == 4) { /* SIB follows */
		uint8_t index = (*p >> 3 & 7) | (rex & REX_X ? 8 : 0);

		if (index != 4) {
			add->index = index;
			add->shift = *p >> 6;
		}
		base = *p++ & 7;
		*relative = false;
	} else {
		*relative = mod == 0 && base == 5;
	}
	if (mod == 1) {
		displacement = (int8_t)*p++;
	} else if (mod == 2 || base == 5) {
		memcpy(&displacement, p, sizeof(displacement));
		p += sizeof(displacement);
	}
	add->base = mod == 0 && base == 5 ? PERCPU_NO_REGISTER : base | (rex & REX_B ? 8 : 0);
	add->constant = (unsigned long)(long)displacement;
	return (size_t)(p - code);
}

/*
 * Read the instruction at site, whose bytes are at code, of which the first is one of the prefixes.
 * False: it is another.
 */
static bool percpu_add_read(struct percpu_add *add, unsigned long site, const uint8_t *code)
{
	uint8_t rex = code[1], opcode = code[2], extension;
	bool relative = false;
	size_t address, size;

	if ((rex & 0xf8) != REX_W)
		return false;
	add->shared = code[0] == PREFIX_LOCK;
	extension = (code[3] >> 3 & 7) | (rex & REX_R ? 8 : 0);
	if (!percpu_add_opcode(add, opcode, extension))
		return false;
	address = percpu_add_address(add, code + 3, rex, &relative);
	if (!address)
		return false;
	size = 3 + address;
	if (opcode == 0x83) {
		add->amount = (int8_t)code[size];
		size++;
	} else if (opcode == 0x81) {
		memcpy(&add->amount, code + size, sizeof(add->amount));
		size += sizeof(add->amount);
	}
	if ((opcode == 0x81 || opcode == 0x83) && (extension & 7) == 5)
		add->amount = -add->amount;
	if (relative)
		add->constant += site + size;
	add->site = site;
	return true;
}

/*
 * Read the lead at p, up to end: a MOV from memory to the base, or a MOV of a constant to memory,
 * which changes no register. Return its size; 0: there is another instruction.
 */
static uint8_t percpu_add_lead(struct percpu_add *add, const uint8_t *p, const uint8_t *end)
{
	struct percpu_add address = {.base = PERCPU_NO_REGISTER};
	uint8_t size = (uint8_t)(end - p), rex = (*p & 0xf0) == REX ? *p++ : 0, opcode = *p++;
	uint8_t to = (*p >> 3 & 7) | (rex & REX_R ? 8 : 0);
	bool relative = false;

	p += percpu_add_address(&address, p, rex, &relative);
	if (opcode == 0xc7 && to == 0 && p + sizeof(uint32_t) == end)
		return size;
	if (opcode != 0x8b || (rex & REX_W) != REX_W || p != end)
		return 0;
	if (address.base == PERCPU_NO_REGISTER || address.index != PERCPU_NO_REGISTER)
		return 0;
	if (to != add->base || to == add->index || to == add->addend)
		return 0;
	add->from = address.base;
	add->displacement = address.constant;
	return size;
}

/*
 * Read the lead before code, of a size that leaves space for a jump. Bytes that look like one may
 * be the end of another instruction: the kernel refuses a kprobe there.
 */
static void percpu_add_read_lead(struct percpu_add *add, const uint8_t *code)
{
	add->from = PERCPU_NO_REGISTER;
	add->lead = percpu_add_lead(add, code - LEAD_MIN, code);
	if (!add->lead)
		add->lead = percpu_add_lead(add, code - LEAD_MAX, code);
}

/* ---- all of a text ---- */

struct percpu_search {
	percpu_add_found_t *found;
	void *arg;
};

static int percpu_add_find_prefix(const struct percpu_search *search, uint8_t prefix,
				  const uint8_t *code, size_t n, unsigned long site)
{
	const uint8_t *p = code, *end = code + n;
	struct percpu_add add;
	int error = 0;

	while (!error && (p = memchr(p, prefix, (size_t)(end - p)))) {
		if (percpu_add_read(&add, site + (unsigned long)(p - code), p)) {
			percpu_add_read_lead(&add, p);
			error = search->found(search->arg, &add);
		}
		p++;
	}
	return error;
}

static int percpu_add_find_in(void *arg, const uint8_t *code, size_t n, unsigned long site)
{
	int error = percpu_add_find_prefix(arg, PREFIX_GS, code, n, site);

	return error ? error : percpu_add_find_prefix(arg, PREFIX_LOCK, code, n, site);
}

int percpu_add_find(unsigned long start, unsigned long end, percpu_add_found_t *found, void *arg)
{
	struct percpu_search search = {.found = found, .arg = arg};

	return text_each(start, end, percpu_add_find_in, &search);
}

/* ---- when it runs ---- */

bool percpu_add_is_fixed(const struct percpu_add *add)
{
	return add->base == PERCPU_NO_REGISTER && add->index == PERCPU_NO_REGISTER;
}

/* Return what the lead is about to load; 0: it faults. */
static notrace unsigned long percpu_add_load(const struct percpu_add *add, struct pt_regs *regs)
{
	unsigned long at = *operation_register(regs, add->from) + add->displacement, base;

	__get_kernel_nofault(&base, (const unsigned long *)at, unsigned long, fault);
	return base;
fault:
	return 0;
}

notrace unsigned long percpu_add_variable(const struct percpu_add *add, struct pt_regs *regs)
{
	unsigned long variable = add->constant;

	if (regs->ip != add->site && add->from != PERCPU_NO_REGISTER)
		variable += percpu_add_load(add, regs);
	else if (add->base != PERCPU_NO_REGISTER)
		variable += *operation_register(regs, add->base);
	if (add->index != PERCPU_NO_REGISTER)
		variable += *operation_register(regs, add->index) << add->shift;
	return variable;
}

notrace int64_t percpu_add_amount(const struct percpu_add *add, struct pt_regs *regs)
{
	if (add->addend == PERCPU_NO_REGISTER)
		return add->amount;
	return add->amount * (int64_t)*operation_register(regs, add->addend);
}
