// SPDX-License-Identifier: MIT
/*
 * fault.c - faults of clauses on stderr. A clause that fails at every hit would fill it: what is the
 * same but for its address is said once each time that buffers are read, and then how often it was.
 */
#include <stdlib.h>
#include <string.h>

#include "cmd.h"

#define NKINDS 32 /* that are told apart; more are all said */

/* A fault at a place in a program. */
struct kind {
	dtrace_epid_t epid;
	int action, offset, fault;
	unsigned long long more; /* since it was said */
	char *text;
};

static struct kind kinds[NKINDS];
static int nkinds;

static bool is_same(const struct kind *k, const dtrace_errdata_t *data)
{
	return k->epid == data->dteda_edesc->dtepd_epid && k->action == data->dteda_action &&
	       k->offset == data->dteda_offset && k->fault == data->dteda_fault;
}

void fault_tell(const dtrace_errdata_t *data)
{
	struct kind *k;

	for (k = kinds; k < kinds + nkinds; k++)
		if (is_same(k, data)) {
			k->more++;
			return;
		}
	notice("%.*s", (int)strcspn(data->dteda_msg, "\n"), data->dteda_msg);
	if (nkinds == NKINDS)
		return;
	*k = (struct kind){.epid = data->dteda_edesc->dtepd_epid,
			   .action = data->dteda_action,
			   .offset = data->dteda_offset,
			   .fault = data->dteda_fault,
			   .text = strdup(data->dteda_msg)};
	nkinds += !!k->text;
}

void fault_repeats(void)
{
	for (struct kind *k = kinds; k < kinds + nkinds; k++) {
		if (k->more != 0)
			notice("%llu more like this: %.*s", k->more, (int)strcspn(k->text, "\n"),
			       k->text);
		free(k->text);
	}
	nkinds = 0;
}
