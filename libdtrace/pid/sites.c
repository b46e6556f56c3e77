/* SPDX-License-Identifier: MIT */
/* sites.c - from a description to sites: the functions of a file that match, and where in them. */
#include <elf.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "../world.h"
#include "impl.h"

#define MAXPARTS 8  /* parts in which a function's code may be */
#define HEAD	 64 /* bytes that decide on the first instruction */
#define SHORT	 32 /* bytes that the jump at an entry, and those that support it, may take */
#define NAMEBUF	 4096

/* A description that is being turned into sites of a mapped object. */
struct search {
	struct pid_batch *batch;
	const struct mapped_object *mapped;
	const dtrace_probedesc_t *desc;
	bool one;   /* the description names one function: what cannot be probed is an error */
	bool exact; /* the description names one offset, in any form */
	struct dt_pid_error *err;
};

/* The current function. */
struct func {
	struct search *search;
	const char *name;
	uint64_t addr, size;
	uint64_t parts[MAXPARTS]; /* where else its code is, by jumps that lead there */
	unsigned int nparts;
	uint64_t end; /* of the code that was read last */
	bool beyond;  /* a jump leads to the padding behind that code */
};

int pid_fail(struct dt_pid_error *err, enum dt_pid_fault fault, const char *hint,
	     const char *format, ...)
{
	va_list ap;

	err->fault = fault;
	snprintf(err->hint, sizeof(err->hint), "%s", hint ? hint : "");
	va_start(ap, format);
	vsnprintf(err->message, sizeof(err->message), format, ap);
	va_end(ap);
	return -1;
}

void pid_batch_init(struct pid_batch *batch, const struct mapped_object *mapped,
		    struct pid_skips *skips)
{
	*batch = (struct pid_batch){.skips = skips, .gen = -1};
	dofbuild_init(&batch->b, mapped->obj->bits == 64 ? &operands_x86_64 : &operands_i386,
		      arena_alloc_from, &batch->arena);
	dt_world_code(mapped->dtp, 0, 0, 0); /* of a batch that was not registered */
}

void pid_batch_fini(struct pid_batch *batch)
{
	arena_free(&batch->arena);
}

/* ---- sites ---- */

/*
 * Set *where to the address of a site in the process, or to its offset in the file. Return false if
 * it is no code.
 */
static bool site_address(const struct mapped_object *mapped, uint64_t addr, uint64_t *where)
{
	uint64_t offset;

	if (!pid_object_offset(mapped->obj, addr, &offset))
		return false;
	*where = mapped->systemwide ? offset : addr + mapped->bias;
	if (!mapped->systemwide && mapped->obj->bits == 32)
		*where = (uint32_t)*where;
	return true;
}

/* Add a site with arguments, unless a debugger has a breakpoint there. */
static void site_add(struct search *search, const char *func, const char *name, uint64_t addr,
		     const dof_argloc_t *locs, unsigned int nlocs)
{
	struct dofbuild_probe probe = {
		.provider = "pid",
		.name = name,
		.func = func,
		.nargs = nlocs,
		.locs = locs,
	};

	if (!site_address(search->mapped, addr, &probe.pc))
		return;
	if (mapped_object_has_breakpoint(search->mapped, addr)) {
		pid_skip(&search->batch->skips->debugged, pid_desc_is_one(search->desc), "%s:%s",
			 func, name);
		return;
	}
	dofbuild_add_site(&search->batch->b, &probe);
	search->batch->nsites++;
}

/* Add a return: arg0 is the offset of the instruction, arg1 the value that is returned. */
static void site_add_return(const struct func *fn, uint64_t addr)
{
	unsigned int word = fn->search->mapped->obj->bits / 8;
	dof_argloc_t locs[] = {
		{.al_kind = DOF_LOC_CONST,
		 .al_size = 8,
		 .al_base = DOF_REG_NONE,
		 .al_index = DOF_REG_NONE,
		 .al_disp = addr - fn->addr},
		{.al_kind = DOF_LOC_REG,
		 .al_size = word,
		 .al_base = DOF_REG_AX,
		 .al_index = DOF_REG_NONE},
	};

	site_add(fn->search, fn->name, "return", addr, locs, 2);
}

/* Set *text to the first bytes of code at an address. Return false if there are none. */
static bool head_text(struct pid_object *obj, uint64_t addr, uint64_t size, struct insn_text *text)
{
	return (size != 0 && pid_object_text(obj, addr, size < HEAD ? size : HEAD, text)) ||
	       pid_object_text(obj, addr, 1, text);
}

/* Write an instruction to out as text. */
static void func_insn_text(const struct func *fn, const struct insn *insn, char *out, size_t len)
{
	struct insn_text text;

	*out = '\0';
	if (head_text(fn->search->mapped->obj, fn->addr + insn->offset, fn->size - insn->offset,
		      &text))
		insn_print(&text, out, len);
}

/* Count an instruction that the kernel cannot step over. */
static void insn_skip(const struct func *fn, const struct insn *insn)
{
	char what[64];

	func_insn_text(fn, insn, what, sizeof(what));
	pid_skip(&fn->search->batch->skips->harmful, pid_desc_is_one(fn->search->desc),
		 "%s+%#x `%s'", fn->name, insn->offset, what);
}

/* Add an instruction if its offset matches. */
static void site_add_offset(const struct func *fn, const struct insn *insn)
{
	char name[20];

	snprintf(name, sizeof(name), "%x", insn->offset);
	if (!fn->search->exact && !pid_name_matches(fn->search->desc->dtpd_name, name))
		return;
	if (insn->skipped)
		insn_skip(fn, insn);
	else
		site_add(fn->search, fn->name, name, fn->addr + insn->offset, NULL, 0);
}

/* ---- the code of a function ---- */

/*
 * Return whether a jump stays in this function: its target is there, or the function still has its
 * stack frame. Remember the part with the target; a function for insns_read().
 */
static bool func_keeps(void *arg, uint64_t at, uint64_t target)
{
	struct func *fn = arg;
	struct pid_object *obj = fn->search->mapped->obj;
	uint64_t part;

	fn->beyond |= target - fn->end < PADDING_GO;
	if (target - fn->addr < fn->size)
		return true;
	if (!target || !pid_object_same(obj, fn->addr, target, &part)) {
		if (!pid_object_has_frame(obj, at))
			return false;
		if (!target || !pid_object_nameless(obj, target, &part))
			return true;
	}
	for (unsigned int i = 0; i < fn->nparts; i++)
		if (fn->parts[i] == part)
			return true;
	if (fn->nparts < MAXPARTS)
		fn->parts[fn->nparts++] = part;
	return true;
}

/* Read code. Return false if it cannot be read safely, with the reason in code->damage. */
static bool code_read(struct func *fn, uint64_t addr, uint64_t size, struct insns *code)
{
	struct insn_text text;

	*code = (struct insns){0};
	fn->end = addr + size;
	fn->beyond = false;
	if (size == 0 || !pid_object_text(fn->search->mapped->obj, addr, size, &text)) {
		code->damage = "its end is not known";
		return false;
	}
	text.moved = dt_world_moves(fn->search->mapped->dtp);
	if (!insns_read(code, &text, func_keeps, fn))
		code->damage = "there is no memory to read it";
	return !code->damage;
}

/*
 * Tell the world that a part of the function is instructions, and the beginning of another function
 * right behind it; or what is spare there.
 */
static void code_tell(const struct func *fn, uint64_t addr, uint64_t size)
{
	const struct mapped_object *mapped = fn->search->mapped;
	const uint64_t end = addr + size;
	uint64_t next, length, spare = 0;

	if (mapped->systemwide)
		return;
	if (pid_object_extent(mapped->obj, end, &next, &length) && next == end)
		size++;
	else if (!fn->beyond)
		spare = pid_object_spare(mapped->obj, end);
	dt_world_code(mapped->dtp, addr + mapped->bias, size, spare);
}

/*
 * Add the returns in another part of the function; their offsets are from the function's start too.
 */
static void part_returns(struct func *fn, uint64_t addr)
{
	const uint64_t size = pid_object_size(fn->search->mapped->obj, addr);
	struct insns code;

	if (code_read(fn, addr, size, &code)) {
		code_tell(fn, addr, size);
		for (size_t i = 0; i < code.n; i++)
			if (code.list[i].leaves)
				site_add_return(fn, addr + code.list[i].offset);
	}
	insns_free(&code);
}

/* Add all returns of the function. */
static void func_returns(struct func *fn, const struct insns *code)
{
	for (size_t i = 0; i < code->n; i++)
		if (code->list[i].leaves)
			site_add_return(fn, fn->addr + code->list[i].offset);
	for (unsigned int i = 0; i < fn->nparts; i++)
		part_returns(fn, fn->parts[i]);
}

/* ---- one offset ---- */

/* Set the error for an offset at which no instruction begins. Return -1. */
static int offset_misplaced(const struct func *fn, const struct insns *code, uint64_t offset)
{
	const struct insn *insn = insns_at(code, offset);
	char hint[128];

	if (offset >= fn->size) {
		snprintf(hint, sizeof(hint), "it is %#llx bytes long",
			 (unsigned long long)fn->size);
		return pid_fail(fn->search->err, DT_PID_OFF, hint,
				"offset %#llx is outside of function %s",
				(unsigned long long)offset, fn->name);
	}
	snprintf(hint, sizeof(hint), "instructions begin at %x and %x", insn->offset,
		 insn->offset + insn->size);
	return pid_fail(fn->search->err, DT_PID_ALIGN, hint,
			"offset %#llx is not where an instruction of %s begins",
			(unsigned long long)offset, fn->name);
}

/* Set the error for an instruction that the kernel cannot step over. Return -1. */
static int fail_insn(const struct func *fn, const struct insn *insn)
{
	char what[64];

	func_insn_text(fn, insn, what, sizeof(what));
	return pid_fail(fn->search->err, DT_PID_CREATE,
			"probe the instruction before it, or behind the next one",
			"failed to create probe at %s+%#x: the kernel cannot step over `%s' here",
			fn->name, insn->offset, what);
}

/* Add the instruction at an offset. Return 0, or -1 with err. */
static int func_offset(const struct func *fn, const struct insns *code, uint64_t offset)
{
	const struct insn *insn = insns_at(code, offset);

	if (!insn || insn->offset != offset)
		return fn->search->one ? offset_misplaced(fn, code, offset) : 0;
	if (insn->skipped && fn->search->one)
		return fail_insn(fn, insn);
	site_add_offset(fn, insn);
	return 0;
}

/* ---- a function ---- */

/* Count a function whose code cannot be read. Return 0, or -1 with err if it is named. */
static int func_damaged(const struct func *fn, const struct insns *code)
{
	pid_skip(&fn->search->batch->skips->unsafe, pid_desc_is_one(fn->search->desc), "%s",
		 fn->name);
	if (!fn->search->one)
		return 0;
	return pid_fail(fn->search->err, DT_PID_CREATE,
			"only its entry can be probed: it may have data within its code",
			"failed to create probes in %s at offset %#llx: %s", fn->name,
			(unsigned long long)code->where, code->damage);
}

/* Add the sites within a function. Return 0, or -1 with err. */
static int func_code(struct func *fn)
{
	const char *wanted = fn->search->desc->dtpd_name;
	struct insns code;
	uint64_t offset;
	int rv = 0;

	if (!code_read(fn, fn->addr, fn->size, &code)) {
		rv = func_damaged(fn, &code);
	} else {
		code_tell(fn, fn->addr, fn->size);
		if (pid_name_is_offset(wanted, &offset))
			rv = func_offset(fn, &code, offset);
		else if (strcmp(wanted, "return") != 0)
			for (size_t i = 0; i < code.n; i++)
				site_add_offset(fn, &code.list[i]);
		if (pid_name_matches(wanted, "return"))
			func_returns(fn, &code);
	}
	insns_free(&code);
	return rv;
}

/*
 * Return 0, or -1 with err if a description names an ifunc whose choice is not known. error: why
 * the process's memory could not be read, or 0.
 */
static int func_unresolved(const struct search *search, const char *name, int error)
{
	if (!search->one)
		return 0;
	if (error == EACCES || error == EPERM)
		return pid_fail(search->err, DT_PID_CREATE,
				"functions that it chooses from can be named themselves; "
				"kernel.yama.ptrace_scope may be what forbids it",
				"failed to create a probe in %s: it is an ifunc, and the memory "
				"of the process, which has the result, cannot be read",
				name);
	if (search->mapped->systemwide)
		return pid_fail(
			search->err, DT_PID_CREATE,
			"name the functions that it chooses from, or ask again when a process "
			"has used it",
			"failed to create a probe in %s: it is an ifunc, of which no process "
			"that was looked at has a result yet",
			name);
	return pid_fail(search->err, DT_PID_CREATE,
			"-Z waits for it; functions that it chooses from can be named themselves",
			"failed to create a probe in %s: it is an ifunc, of which nothing in the "
			"process has a result yet",
			name);
}

/* Add the entry of a function. Return 0, or -1 with err. */
static int func_entry(const struct func *fn)
{
	const struct insn first = {0};
	struct insn_text text;

	if (!head_text(fn->search->mapped->obj, fn->addr, fn->size, &text))
		return 0;
	text.moved = dt_world_moves(fn->search->mapped->dtp);
	if (!insn_is_harmed(&text)) {
		site_add(fn->search, fn->name, "entry", fn->addr, NULL, 0);
		return 0;
	}
	if (fn->search->one)
		return fail_insn(fn, &first);
	insn_skip(fn, &first);
	return 0;
}

/* Tell the world about the code of a function, if the jump at its entry may extend to its end. */
static void func_tell_short(struct func *fn)
{
	const struct mapped_object *mapped = fn->search->mapped;
	struct insns code = {0};

	if (!mapped->systemwide && dt_world_moves(mapped->dtp) && fn->size <= SHORT &&
	    code_read(fn, fn->addr, fn->size, &code))
		code_tell(fn, fn->addr, fn->size);
	insns_free(&code);
}

/* Add the sites of a function that match, under a name. Return 0, or -1 with err. */
static int func_sites(struct search *search, const char *name, const struct dt_function *f)
{
	struct func fn = {.search = search, .name = name};
	uint64_t offset;

	fn.addr = f->ifunc ? mapped_object_ifunc(search->mapped, f) : f->addr;
	if (fn.addr == 0)
		return func_unresolved(search, name, errno);
	if (!pid_object_offset(search->mapped->obj, fn.addr, &offset))
		return 0;
	search->batch->nfunctions++;
	fn.size = pid_object_size(search->mapped->obj, fn.addr);
	if (pid_name_matches(search->desc->dtpd_name, "entry") && func_entry(&fn) != 0)
		return -1;
	if (strcmp(search->desc->dtpd_name, "entry") != 0)
		return func_code(&fn);
	func_tell_short(&fn);
	return 0;
}

/* ---- which functions ---- */

/* Return the rank of a binding: global before weak before local. */
static int bind_rank(uint8_t bind)
{
	return bind == STB_GLOBAL ? 0 : bind == STB_WEAK ? 1 : 2;
}

/* Return whether name a of a function is better than name b, because more people know it. */
static bool name_is_better(const struct dt_function *fa, const char *a,
			   const struct dt_function *fb, const char *b)
{
	size_t ua = strspn(a, "_"), ub = strspn(b, "_");

	if (bind_rank(fa->bind) != bind_rank(fb->bind))
		return bind_rank(fa->bind) < bind_rank(fb->bind);
	if (ua != ub)
		return ua < ub;
	return strlen(a) != strlen(b) ? strlen(a) < strlen(b) : strcmp(a, b) < 0;
}

/*
 * Return whether a name is that of a part of a function, and the description does not ask for
 * parts.
 */
static bool is_part(const struct search *search, const char *name)
{
	return strstr(name, ".cold") && !strstr(search->desc->dtpd_func, ".cold");
}

/*
 * Add the sites of the functions at one address, of which i is the first, under the best name that
 * matches. Return 0, or -1 with err.
 */
static int sites_best(struct search *search, size_t i)
{
	struct dt_symtab *tab = search->mapped->obj->tab;
	const struct dt_function *first = dt_symtab_function(tab, i), *best = NULL, *f;
	char buf[NAMEBUF], name[NAMEBUF];

	for (; i < dt_symtab_count(tab); i++) {
		const char *found;

		f = dt_symtab_function(tab, i);
		if (f->addr != first->addr)
			break;
		found = pid_function_matches(search->desc->dtpd_func, tab, i, buf, sizeof(buf));
		if (!found || is_part(search, found) ||
		    (best && !name_is_better(f, found, best, name)))
			continue;
		best = f;
		snprintf(name, sizeof(name), "%s", found);
	}
	return best ? func_sites(search, name, best) : 0;
}

/* Add the sites of all functions that match. Return 0, or -1 with err. */
static int sites_by_glob(struct search *search)
{
	struct dt_symtab *tab = search->mapped->obj->tab;
	uint64_t last = 0;
	int rv = 0;

	for (size_t i = 0; i < dt_symtab_count(tab) && rv == 0; i++)
		if (i == 0 || dt_symtab_function(tab, i)->addr != last) {
			last = dt_symtab_function(tab, i)->addr;
			rv = sites_best(search, i);
		}
	return rv;
}

/*
 * Add the sites of the functions of a name. A file may have several static ones. Return 0, or -1
 * with err.
 */
static int sites_by_name(struct search *search)
{
	struct dt_symtab *tab = search->mapped->obj->tab;
	const struct dt_function *last = NULL, *f;
	char buf[NAMEBUF];
	int rv = 0;

	for (size_t i = 0; i < dt_symtab_count(tab) && rv == 0; i++) {
		const char *name =
			pid_function_matches(search->desc->dtpd_func, tab, i, buf, sizeof(buf));

		f = dt_symtab_function(tab, i);
		if (!name || (last && last->addr == f->addr))
			continue;
		last = f;
		rv = func_sites(search, name, f);
	}
	return rv;
}

int pid_sites(struct pid_batch *batch, const struct mapped_object *mapped,
	      const dtrace_probedesc_t *desc, struct dt_pid_error *err)
{
	struct search search = {.batch = batch, .mapped = mapped, .desc = desc, .err = err};
	uint64_t offset;

	search.exact = pid_name_is_offset(desc->dtpd_name, &offset);
	search.one = *desc->dtpd_func != '\0' && !pid_is_glob(desc->dtpd_func);
	return search.one ? sites_by_name(&search) : sites_by_glob(&search);
}

int pid_site_at(struct pid_batch *batch, const struct mapped_object *mapped, uint64_t addr,
		const char *name, struct dt_pid_error *err)
{
	static const dtrace_probedesc_t all;
	struct search search = {
		.batch = batch, .mapped = mapped, .desc = &all, .one = true, .err = err};
	struct func fn = {.search = &search, .name = "-"};
	const struct insn *insn;
	struct insns code;
	int rv = 0;

	if (!pid_object_extent(mapped->obj, addr, &fn.addr, &fn.size))
		return pid_fail(err, DT_PID_ALIGN, "name a function and an offset in it",
				"no function is known at address %s, so no instruction", name);
	if (!code_read(&fn, fn.addr, fn.size, &code)) {
		rv = func_damaged(&fn, &code);
	} else {
		insn = insns_at(&code, addr - fn.addr);
		if (insn && insn->offset == addr - fn.addr && insn->skipped)
			rv = fail_insn(&fn, insn);
		else if (insn && insn->offset == addr - fn.addr)
			site_add(&search, "-", name, addr, NULL, 0);
		else
			rv = pid_fail(err, DT_PID_ALIGN, NULL,
				      "address %s is not where an instruction begins", name);
	}
	insns_free(&code);
	return rv;
}

void pid_spell(const struct mapped_object *mapped, dt_spell_t *near)
{
	for (size_t i = 0; i < dt_symtab_count(mapped->obj->tab); i++)
		spell_try(near, dt_symtab_function(mapped->obj->tab, i)->name);
}
