/* SPDX-License-Identifier: MIT */
/* helper_text.c - finds the text of the object that has a ustack helper. */
#include "helper_text.h"
#include "space.h"

static bool same_file(const struct dt_range *a, const struct dt_range *b)
{
	return a->ino == b->ino && a->dev == b->dev;
}

uint32_t dt_helper_text(pid_t pid, uint64_t addr, struct agent_text texts[DTRACE_UHELP_MAXTEXTS])
{
	struct dt_space space = {0};
	const struct dt_range *at, *first, *end;
	uint32_t n = 0;

	if (dt_space_read(&space, pid) != 0)
		goto out;
	end = space.list + space.n;
	at = dt_space_at(&space, addr);
	if (!at || !at->ino)
		goto out;
	for (first = at; first > space.list && same_file(first - 1, at);)
		first--;
	for (; first < end && same_file(first, at) && n < DTRACE_UHELP_MAXTEXTS; first++)
		if (first->executable && !first->shared)
			texts[n++] = (struct agent_text){first->start, first->end};
out:
	dt_space_free(&space);
	return n;
}
