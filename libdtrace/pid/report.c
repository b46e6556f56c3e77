/* SPDX-License-Identifier: MIT */
/*
 * report.c - reports instructions without a probe: those that were skipped when probes were made,
 * and those at which the kernel failed to set a breakpoint when they were enabled.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../list.h"
#include "impl.h"

#define MAXNAMED 8    /* that are named, unless the description is of one function */
#define MAXLIST	 4096 /* failed sites that are asked for at once */
#define MAXTOLD	 8    /* failed sites that are reported one by one */

/* ---- skipped ---- */

/* Make capacity for n more characters and a NUL. Return false without memory. */
static bool skipped_grow(struct pid_skipped *skipped, size_t n)
{
	size_t capacity = 2 * (skipped->len + n + 1);
	char *names;

	if (skipped->len + n < skipped->capacity)
		return true;
	names = realloc(skipped->names, capacity);
	if (!names)
		return false;
	skipped->names = names;
	skipped->capacity = capacity;
	return true;
}

void pid_skip(struct pid_skipped *skipped, bool one, const char *format, ...)
{
	char *name;
	va_list ap;
	int n;

	skipped->n++;
	if (!one && skipped->n > MAXNAMED)
		return;
	va_start(ap, format);
	n = vasprintf(&name, format, ap);
	va_end(ap);
	if (n == -1)
		return;
	if (skipped_grow(skipped, n + 2)) {
		skipped->len += sprintf(skipped->names + skipped->len, "%s%s",
					skipped->len > 0 ? ", " : "", name);
		skipped->named++;
	}
	free(name);
}

/* Tell the user what was skipped for one reason, if anything was. */
static void skipped_tell(dtrace_hdl_t *dtp, pid_t pid, const char *desc,
			 const struct pid_skipped *skipped, const char *before, const char *thing,
			 const char *what)
{
	char more[80] = "", *message;

	if (skipped->n > skipped->named)
		snprintf(more, sizeof(more), " and %lu more (all are named for one function)",
			 skipped->n - skipped->named);
	if (skipped->n > 0 && asprintf(&message, "%s: %s %lu %s%s%s: %s%s", desc, before,
				       skipped->n, thing, skipped->n == 1 ? "" : "s", what,
				       skipped->names ? skipped->names : "", more) != -1) {
		pid_tell(dtp, pid, message);
		free(message);
	}
}

void pid_skips_tell(dtrace_hdl_t *dtp, const dtrace_probedesc_t *desc, pid_t pid,
		    const struct pid_skips *skips)
{
	char full[DTRACE_FULLNAMELEN];

	dtrace_desc2str(desc, full, sizeof(full));
	skipped_tell(dtp, pid, full, &skips->unsafe, "only entries in", "function",
		     ", which may have data in their code");
	skipped_tell(dtp, pid, full, &skips->harmful, "without", "instruction",
		     " that the kernel cannot step over");
	skipped_tell(dtp, pid, full, &skips->debugged, "without", "instruction",
		     " at which a debugger has a breakpoint");
}

void pid_skips_free(struct pid_skips *skips)
{
	free(skips->unsafe.names);
	free(skips->harmful.names);
	free(skips->debugged.names);
	*skips = (struct pid_skips){0};
}

/* ---- failed ---- */

/* A failed site in words: where it is, and its instruction. */
struct failed {
	char func[DTRACE_FUNCNAMELEN];
	uint64_t offset;
	char insn[64];
};

/* Return whether there is such a note. */
static bool is_noted(const struct pid_notes *notes, pid_t pid, uint64_t what)
{
	for (size_t i = 0; i < notes->n; i++)
		if (notes->notes[i].pid == pid && notes->notes[i].what == what)
			return true;
	return false;
}

bool pid_note(struct pid_notes *notes, pid_t pid, uint64_t what)
{
	struct pid_note *more = dt_list_grow(notes->notes, notes->n, sizeof(*more));

	if (!more)
		return false;
	notes->notes = more;
	more[notes->n++] = (struct pid_note){pid, what};
	return true;
}

/* Name the instruction at an address of an object. */
static void failed_name(struct failed *ref, struct pid_object *obj, uint64_t addr)
{
	uint64_t start = addr, size = 0;
	struct insn_text text;

	pid_object_extent(obj, addr, &start, &size);
	snprintf(ref->func, sizeof(ref->func), "%s", obj->name);
	ref->offset = addr;
	for (size_t i = 0; i < dt_symtab_count(obj->tab); i++)
		if (dt_symtab_function(obj->tab, i)->addr == start) {
			snprintf(ref->func, sizeof(ref->func), "%s",
				 dt_symtab_function(obj->tab, i)->name);
			ref->offset = addr - start;
		}
	size = size > addr - start ? size - (addr - start) : 1;
	if (pid_object_text(obj, addr, size < 15 ? size : 15, &text))
		insn_print(&text, ref->insn, sizeof(ref->insn));
}

/*
 * Find a failed site in the files of its process that have been seen. Return false if it is in
 * none.
 */
static bool failed_find(struct failed *ref, struct dt_pid *pd, const dtrace_ft_failure_t *failure)
{
	struct mapped_object mapped;
	uint64_t offset;

	for (struct pid_target *tg = pd->targets; tg; tg = tg->next)
		for (size_t i = 0; tg->pid == failure->dtfe_pid && i < tg->seen.n; i++)
			if (mapped_object_init(&mapped, pd, tg->pid, &tg->seen.maps[i]) &&
			    pid_object_offset(mapped.obj, failure->dtfe_addr - mapped.bias,
					      &offset)) {
				failed_name(ref, mapped.obj, failure->dtfe_addr - mapped.bias);
				return true;
			}
	return false;
}

/* Return why a site failed in a world whose probes move instructions. */
static const char *failed_to_move(int error)
{
	return error == EOPNOTSUPP ? "it cannot be moved"
	       : error == ENOSPC   ? "no page can be mapped where a jump would reach it"
				   : strerror(error);
}

/* Return why a site failed in a world whose probes are breakpoints. */
static const char *failed_to_break(int error)
{
	return error == EOPNOTSUPP ? "the kernel cannot step over it"
	       : error == EUSERS   ? "its file is mapped too often for users (user_mappings in "
				     "/sys/module/dtrace/parameters, which root may raise)"
				   : strerror(error);
}

/* Write the message about a failed site. */
static void failed_describe(struct dt_pid *pd, const dtrace_ft_failure_t *failure, char *message,
			    size_t len)
{
	const bool moves = dt_world_moves(pd->dtp);
	const char *why =
		moves ? failed_to_move(failure->dtfe_error) : failed_to_break(failure->dtfe_error);
	const char *what = moves ? "probe" : "breakpoint";
	struct failed ref = {.insn = ""};

	if (failed_find(&ref, pd, failure))
		snprintf(message, len, "%s+%#llx, `%s', has no %s: %s", ref.func,
			 (unsigned long long)ref.offset, ref.insn, what, why);
	else
		snprintf(message, len, "the instruction at %#llx has no %s: %s",
			 (unsigned long long)failure->dtfe_addr, what, why);
}

/*
 * Tell the user of failed sites. Return 0, or -1 with EDT_PROC for the first that a description
 * names.
 */
static int failed_tell(dtrace_hdl_t *dtp, struct dt_pid *pd, const dtrace_ft_failure_t *list,
		       size_t n)
{
	size_t new = 0;
	char message[512];

	for (size_t i = 0; i < n; i++) {
		if (is_noted(&pd->told, list[i].dtfe_pid, list[i].dtfe_addr))
			continue;
		pid_note(&pd->told, list[i].dtfe_pid, list[i].dtfe_addr);
		failed_describe(pd, &list[i], message, sizeof(message));
		if (is_noted(&pd->named, list[i].dtfe_pid, list[i].dtfe_gen))
			return dt_set_error(dtp, EDT_PROC, "%s", message);
		if (new ++ >= MAXTOLD)
			continue;
		pid_tell(dtp, list[i].dtfe_pid, message);
	}
	if (new > MAXTOLD) {
		snprintf(message, sizeof(message), "and %zu more have none", new - MAXTOLD);
		pid_tell(dtp, list[0].dtfe_pid, message);
	}
	return 0;
}

int dt_pid_report_failed(dtrace_hdl_t *dtp)
{
	struct dt_pid *pd = dtp->pid;
	dtrace_ft_failures_t failures = {.dtfl_capacity = MAXLIST};
	dtrace_ft_failure_t *list;
	int rv = 0;

	if (!pd || dt_world_lacks_processes(dtp))
		return 0;
	list = calloc(MAXLIST, sizeof(*list));
	if (!list)
		return dt_set_errno(dtp, ENOMEM);
	failures.dtfl_list = (uintptr_t)list;
	if (dt_world_process(dtp, DTRACEFTIOC_FAILURES, &failures) == 0)
		rv = failed_tell(dtp, pd, list,
				 failures.dtfl_n < MAXLIST ? failures.dtfl_n : MAXLIST);
	free(list);
	return rv;
}
