/* SPDX-License-Identifier: MIT */
/*
 * trampoline.c - the code to which the jumps of sites lead: forms of static probes' sites,
 * trampolines, and the mirror pages between.
 */
#include <errno.h>
#include <string.h>
#include "patch_impl.h"

#define RET   0xc3
#define REACH 0x7fff0000LL /* of a jump, with some margin */

/* ---- forms of sites ---- */

static struct form form_make(uint64_t at, const uint8_t *bytes, uint64_t back, bool near)
{
	struct form form = {.at = at, .back = back, .near = near};

	memcpy(form.bytes, bytes, JUMP_SIZE);
	memcpy(&form.distance, bytes + 1, sizeof(form.distance));
	return form;
}

int form_find_all(uint64_t pc, const uint8_t *code, struct form forms[2])
{
	static const uint8_t five[] = {0x66, 0x66, 0x66, 0x66, NOP};
	static const uint8_t four[] = {0x66, 0x66, 0x66, NOP};
	static const uint8_t three[] = {0x66, 0x66, NOP, RET};
	static const uint8_t two[] = {0x66, NOP, RET};
	const uint8_t *at = code + BEFORE, *before = at - 1;
	const bool noted = *before == NOP;
	int n = 0;

	if (memcmp(at, five, sizeof(five)) == 0) {
		forms[n++] = form_make(pc, at, pc + 5, true);
		if (noted)
			forms[n++] = form_make(pc - 1, before, pc + 5, false);
	} else if (noted && memcmp(at, four, sizeof(four)) == 0) {
		forms[n++] = form_make(pc - 1, before, pc + 4, true);
	} else if (noted && memcmp(at, three, sizeof(three)) == 0) {
		forms[n++] = form_make(pc - 1, before, 0, true);
	} else if (noted && memcmp(at, two, sizeof(two)) == 0) {
		forms[n++] = form_make(pc - 1, before, 0, false);
	}
	return n;
}

void form_fail(const struct failed *failed, const struct site *site, const uint8_t *code)
{
	const uint8_t *at = code + BEFORE;

	if (at[0] == JUMP || at[-1] == JUMP || at[-2] == 0xb0)
		patch_fail(failed, site->index, -EBUSY,
			   "the site at 0x%llx is being traced by another dtrace",
			   (unsigned long long)site->pc);
	else if (at[0] == INT3 || at[-1] == INT3)
		patch_fail(
			failed, site->index, -EBUSY,
			"the site at 0x%llx has the breakpoint of a debugger or of another tracer",
			(unsigned long long)site->pc);
	else
		patch_fail(failed, site->index, -EILSEQ,
			   "there is no code of a site at 0x%llx: %02x %02x %02x %02x %02x",
			   (unsigned long long)site->pc, at[0], at[1], at[2], at[3], at[4]);
}

/* ---- trampolines ---- */

static void put32(uint8_t *at, int64_t value)
{
	const int32_t cut = (int32_t)value;

	memcpy(at, &cut, sizeof(cut));
}

void jump_make(uint8_t bytes[JUMP_SIZE], uint64_t at, uint64_t target)
{
	*bytes = JUMP;
	put32(bytes + 1, (int64_t)(target - at - JUMP_SIZE));
}

uint64_t jump_target(const uint8_t bytes[JUMP_SIZE], uint64_t at)
{
	int32_t distance;

	memcpy(&distance, bytes + 1, sizeof(distance));
	return at + JUMP_SIZE + (uint64_t)(int64_t)distance;
}

#define TRAMPOLINE_SIZE	  (TRAMPOLINE_HIT + JUMP_SIZE)
#define TRAMPOLINE_NUMBER 6 /* offset of the number */
#define TRAMPOLINE_MAX	  (TRAMPOLINE_HIT + DISPLACE_CODE)

/* Return the operand (agent.h) of the trampoline with a number. form: NULL for an instruction. */
static uint32_t trampoline_operand(const struct site *site, const struct form *form,
				   uint32_t number)
{
	const bool conditional = !form && site->insn.kind == DISPLACE_JUMP_IF;

	return AGENT_NUMBER(number) | (conditional ? AGENT_CONDITION(site->insn.condition) : 0);
}

/* Write the code that calls the agent. */
static void hit_make(uint8_t *code, uint64_t at, uint32_t operand)
{
	static const uint8_t model[TRAMPOLINE_HIT] = {
		0x48, 0x8d, 0x64, 0x24, 0x80,			/* lea -128(%rsp),%rsp */
		0x68, 0,    0,	  0,	0,			/* push $operand */
		0xff, 0x15, 0,	  0,	0,    0,		/* call *constant(%rip) */
		0x48, 0x8d, 0xa4, 0x24, 0x88, 0x00, 0x00, 0x00, /* lea 136(%rsp),%rsp */
	};

	memcpy(code, model, sizeof(model));
	put32(code + TRAMPOLINE_NUMBER, operand);
	put32(code + 12, (int64_t)(code_constant(at) - at - 16));
}

void bounds_add(struct bounds *bounds, uint64_t addr)
{
	const uint64_t low = addr > (uint64_t)REACH ? addr - REACH : 0;

	if (bounds->low < low)
		bounds->low = low;
	if (bounds->high > addr + REACH)
		bounds->high = addr + REACH;
}

static size_t trampoline_size(const struct site *site, const struct form *form)
{
	return form ? TRAMPOLINE_SIZE : TRAMPOLINE_HIT + displace_size(&site->insn);
}

/*
 * Write the trampoline of a site for an address. form: NULL for an instruction. Return false if the
 * code does not work at that address.
 */
static bool trampoline_make(const struct site *site, const struct form *form, uint64_t at,
			    uint32_t number, uint8_t code[TRAMPOLINE_MAX])
{
	static const uint8_t ret[JUMP_SIZE] = {RET, INT3, INT3, INT3, INT3};

	memset(code, INT3, TRAMPOLINE_MAX); /* moved code may be shorter than its size */
	hit_make(code, at, trampoline_operand(site, form, number));
	if (!form) {
		if (!displace_reaches(&site->insn, at + TRAMPOLINE_HIT))
			return false;
		displace_write(&site->insn, at + TRAMPOLINE_HIT, code + TRAMPOLINE_HIT);
	} else if (form->back) {
		jump_make(code + TRAMPOLINE_HIT, at + TRAMPOLINE_HIT, form->back);
	} else {
		memcpy(code + TRAMPOLINE_HIT, ret, sizeof(ret));
	}
	return true;
}

/* Return the number of the trampoline at an address. */
static uint32_t trampoline_number(const struct dt_patches *patches, uint64_t at)
{
	uint32_t operand = 0;

	code_read(&patches->pages, at + TRAMPOLINE_NUMBER, &operand, sizeof(operand));
	return AGENT_NUMBER(operand);
}

/* Return whether the trampoline at an address is equal to the one of a site. */
static bool trampoline_is_same(const struct dt_patches *patches, const struct site *site,
			       const struct form *form, uint64_t at)
{
	const size_t size = trampoline_size(site, form);
	const uint32_t number = trampoline_number(patches, at);
	uint8_t code[TRAMPOLINE_MAX], found[TRAMPOLINE_MAX];

	return number < patches->nnumbers && trampoline_make(site, form, at, number, code) &&
	       code_read(&patches->pages, at, found, size) && memcmp(code, found, size) == 0;
}

uint64_t trampoline_find(const struct dt_patches *patches, const struct site *site,
			 const struct form *form, struct bounds bounds)
{
	uint64_t at;

	for (size_t i = 0; (at = code_found(&patches->pages, site->pc, i)); i++)
		if (at >= bounds.low && at <= bounds.high &&
		    trampoline_is_same(patches, site, form, at))
			return at;
	return 0;
}

uint64_t trampoline_mirror_find(const struct dt_patches *patches, const struct site *site,
				const struct form *form, uint64_t target)
{
	uint8_t jump[JUMP_SIZE];
	uint64_t to, at;

	if (!code_read(&patches->pages, target, jump, sizeof(jump)) || *jump != JUMP)
		return 0;
	to = jump_target(jump, target);
	for (size_t i = 0; (at = code_found(&patches->pages, site->pc, i)); i++)
		if (at == to)
			return trampoline_is_same(patches, site, form, at) ? at : 0;
	return 0;
}

void trampoline_numbers_begin(struct dt_patches *patches)
{
	for (size_t i = 0; i < patches->pages.nfound; i++) {
		const uint32_t number = trampoline_number(patches, patches->pages.found[i].addr);

		if (number >= patches->next_number && number < patches->nnumbers)
			patches->next_number = number + 1;
	}
}

uint64_t trampoline_emit(struct dt_patches *patches, const struct site *site,
			 const struct form *form, struct bounds bounds, uint64_t near)
{
	uint8_t code[TRAMPOLINE_MAX];
	uint64_t at;

	bounds_add(&bounds, form ? form->at : site->at);
	if (!form && site->insn.target)
		bounds_add(&bounds, site->insn.target);
	if (bounds.low >= bounds.high)
		return 0;
	at = trampoline_find(patches, site, form, bounds);
	if (at || patches->next_number >= patches->nnumbers)
		return at;
	at = code_find(&patches->pages, near, bounds.low, bounds.high, trampoline_size(site, form));
	if (!at || !trampoline_make(site, form, at, patches->next_number, code))
		return 0;
	code_write(&patches->pages, site->pc, at, code, trampoline_size(site, form));
	patches->next_number++;
	return at;
}

void trampoline_number_set(struct dt_patches *patches, uint64_t trampoline, uint32_t index)
{
	const uint32_t number = trampoline_number(patches, trampoline);

	if (number < patches->nnumbers)
		__atomic_store_n(&patches->numbers[number], index == INDEX_NONE ? 0 : index + 1,
				 __ATOMIC_RELEASE);
}

void form_take(struct site *site, const struct form *form, enum site_state state,
	       uint64_t trampoline)
{
	site->at = form->at;
	site->back = form->back;
	site->state = state;
	site->trampoline = trampoline;
	site->size = state == SITE_FIVE_BYTES ? JUMP_SIZE : 1;
	site->span = JUMP_SIZE;
	site->depth = 0;
	memcpy(site->off_bytes, form->bytes, JUMP_SIZE);
	memcpy(site->on_bytes, form->bytes, JUMP_SIZE);
	if (state == SITE_FIVE_BYTES)
		jump_make(site->on_bytes, form->at, trampoline);
	else
		site->on_bytes[0] = JUMP;
}

uint64_t form_target(const struct form *form)
{
	return form->at + JUMP_SIZE + (uint64_t)(int64_t)form->distance;
}

int form_emit_mirror(struct dt_patches *patches, struct site *site, const struct form *form)
{
	const uint64_t target = form_target(form);
	const uint64_t near = target < form->at ? target - ASIDE : target + ASIDE;
	struct bounds bounds = {0, UINT64_MAX};
	uint8_t jump[JUMP_SIZE];
	uint64_t trampoline;
	int error;

	if (!code_is_possible(&patches->pages, target, sizeof(jump)))
		return -EEXIST;
	bounds_add(&bounds, target);
	trampoline = trampoline_emit(patches, site, form, bounds, near);
	if (!trampoline)
		return -ENOSPC;
	jump_make(jump, target, trampoline);
	error = code_write_at(&patches->pages, target, jump, sizeof(jump));
	if (!error)
		form_take(site, form, SITE_ONE_BYTE, trampoline);
	return error;
}

/*
 * Return where a trampoline has to be, so that a jump of one byte before the site's leads to about
 * as far an address: the third byte of the distance is the highest one of that jump.
 */
static struct bounds form_bounds_before(const struct form *form)
{
	const uint64_t next = form->at + JUMP_SIZE;

	if (form->at > AWAY)
		return (struct bounds){next - AWAY + 0x800000, next - AWAY + 0xf00000};
	return (struct bounds){next + AWAY + 0x100000, next + AWAY + 0x7fffff};
}

int form_emit_jump(struct dt_patches *patches, struct site *site, const struct form *form,
		   bool before)
{
	const uint64_t near = form->at > AWAY ? form->at - AWAY : form->at + AWAY;
	const struct bounds any = {0, UINT64_MAX}, bounds = form_bounds_before(form);
	uint64_t trampoline = before ? trampoline_emit(patches, site, form, bounds, bounds.low) : 0;

	if (!trampoline)
		trampoline = trampoline_emit(patches, site, form, any, near);
	if (!trampoline)
		return -ENOSPC;
	form_take(site, form, SITE_FIVE_BYTES, trampoline);
	return 0;
}
