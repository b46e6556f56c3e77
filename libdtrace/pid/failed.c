/* SPDX-License-Identifier: MIT */
/*
 * failed.c - sites that the kernel refuses to put a breakpoint at, which it says when they are
 * enabled: what the user named is an error, what a pattern stood for is told.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "../list.h"
#include "impl.h"

#define MAXLIST 4096 /* of them that are asked for at once */
#define MAXTOLD 8    /* that are told one by one */

/* A refused site in words: where it is and what stands there. */
struct refusal {
	char func[DTRACE_FUNCNAMELEN];
	uint64_t offset;
	char insn[64];
};

bool pid_noted(const struct pid_notes *notes, pid_t pid, uint64_t what)
{
	for (size_t i = 0; i < notes->n; i++)
		if (notes->notes[i].pid == pid && notes->notes[i].what == what)
			return true;
	return false;
}

bool pid_note(struct pid_notes *notes, pid_t pid, uint64_t what)
{
	struct pid_note *more = dt_list_grow(notes->notes, notes->n, sizeof(*more));

	if (more == NULL)
		return false;
	notes->notes = more;
	more[notes->n++] = (struct pid_note){pid, what};
	return true;
}

static void refusal_name(struct refusal *ref, struct pid_object *obj, uint64_t addr)
{
	uint64_t start = addr, size = 0;
	struct pid_text text;

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
		pid_code_print(&text, ref->insn, sizeof(ref->insn));
}

/* In the files of a process that have been looked at. */
static bool refusal_find(struct refusal *ref, struct dt_pid *pd, const dtrace_ft_failure_t *failure)
{
	struct pid_place place;
	uint64_t offset;

	for (struct pid_target *tg = pd->targets; tg != NULL; tg = tg->next)
		for (size_t i = 0; tg->pid == failure->dtfe_pid && i < tg->seen.n; i++)
			if (pid_place_init(&place, pd, tg->pid, &tg->seen.maps[i]) &&
			    pid_object_offset(place.obj, failure->dtfe_addr - place.bias,
					      &offset)) {
				refusal_name(ref, place.obj, failure->dtfe_addr - place.bias);
				return true;
			}
	return false;
}

static void refusal_describe(struct dt_pid *pd, const dtrace_ft_failure_t *failure, char *text,
			     size_t len)
{
	const char *why = failure->dtfe_error == EOPNOTSUPP ? "the kernel cannot step over it"
							    : strerror(failure->dtfe_error);
	struct refusal ref = {.insn = ""};

	if (refusal_find(&ref, pd, failure))
		snprintf(text, len, "%s+%#llx, `%s', has no breakpoint: %s", ref.func,
			 (unsigned long long)ref.offset, ref.insn, why);
	else
		snprintf(text, len, "the instruction at %#llx has no breakpoint: %s",
			 (unsigned long long)failure->dtfe_addr, why);
}

static int refusals_tell(dtrace_hdl_t *dtp, struct dt_pid *pd, const dtrace_ft_failure_t *list,
			 size_t n)
{
	size_t new = 0;
	char text[512];

	for (size_t i = 0; i < n; i++) {
		if (pid_noted(&pd->told, list[i].dtfe_pid, list[i].dtfe_addr))
			continue;
		pid_note(&pd->told, list[i].dtfe_pid, list[i].dtfe_addr);
		refusal_describe(pd, &list[i], text, sizeof(text));
		if (pid_noted(&pd->named, list[i].dtfe_pid, list[i].dtfe_gen))
			return dt_set_error(dtp, EDT_PROC, "%s", text);
		if (new ++ >= MAXTOLD)
			continue;
		pid_tell(dtp, list[i].dtfe_pid, text);
	}
	if (new > MAXTOLD) {
		snprintf(text, sizeof(text), "and %zu more have none", new - MAXTOLD);
		pid_tell(dtp, list[0].dtfe_pid, text);
	}
	return 0;
}

int dt_pid_refusals(dtrace_hdl_t *dtp)
{
	struct dt_pid *pd = dtp->pid;
	dtrace_ft_failures_t failures = {.dtfl_room = MAXLIST};
	dtrace_ft_failure_t *list;
	int rv = 0;

	if (pd == NULL || dt_world_lacks_processes(dtp))
		return 0;
	list = calloc(MAXLIST, sizeof(*list));
	if (list == NULL)
		return dt_set_errno(dtp, ENOMEM);
	failures.dtfl_list = (uintptr_t)list;
	if (dt_world_process(dtp, DTRACEFTIOC_FAILURES, &failures) == 0)
		rv = refusals_tell(dtp, pd, list,
				   failures.dtfl_n < MAXLIST ? failures.dtfl_n : MAXLIST);
	free(list);
	return rv;
}
