// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * NOTIFIER_RUN.c - does the kernel report each function of a notifier chain that it calls? 6.12
 * does, 6.1 does not.
 */
#include <trace/events/notifier.h>

void probe(void *function);

void probe(void *function)
{
	trace_notifier_run(function);
}
