/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * dtrace/kernel/sdt.h - probes of a Linux kernel module's own: sdt:MODULE::NAME.
 *
 * A probe is a tracepoint of the kernel, so the module needs nothing of DTrace to be built or
 * loaded, and ftrace, perf and BPF see the tracepoint too. While no tracer traces it, a probe costs
 * one instruction that does nothing. In a source file of the module:
 *
 *	#include <dtrace/kernel/sdt.h>
 *
 *	DTRACE_PROBE_DEFINE(queue_add, TP_PROTO(struct queue *q, int n), TP_ARGS(q, n));
 *	...
 *		DTRACE_PROBE(queue_add, q, n);
 *
 * and in its Kbuild, behind the kernel's own headers:
 *
 *	ccflags-y += -idirafter /usr/include
 *
 * The name of a probe is unique in the kernel and its modules: let it begin with the module's name.
 * The kernel ignores tracepoints of modules whose licence is not compatible with its own.
 */
#ifndef DTRACE_KERNEL_SDT_H
#define DTRACE_KERNEL_SDT_H

#include <linux/tracepoint.h>

/* Linux 6.16 and later keep the name as it is by another macro. */
#ifdef DECLARE_TRACE_EVENT
#define DTRACE_PROBE_DECLARE(name, prototype, arguments) \
	DECLARE_TRACE_EVENT(name, PARAMS(prototype), PARAMS(arguments))
#else
/*
 * DTRACE_PROBE_DECLARE - declare a probe, in a header that several files of the module include.
 * prototype: TP_PROTO() with the types and names of one to twelve parameters. arguments: TP_ARGS()
 * with their names. Integers and pointers become arg0, arg1 ...
 */
#define DTRACE_PROBE_DECLARE(name, prototype, arguments) \
	DECLARE_TRACE(name, PARAMS(prototype), PARAMS(arguments))
#endif

/*
 * DTRACE_PROBE_DEFINE - declare and define a probe, at file scope of exactly one source file of the
 * module. A file that includes a declaration defines the probe by DEFINE_TRACE() instead, with the
 * same parameters.
 */
#define DTRACE_PROBE_DEFINE(name, prototype, arguments)                   \
	DTRACE_PROBE_DECLARE(name, PARAMS(prototype), PARAMS(arguments)); \
	DEFINE_TRACE(name, PARAMS(prototype), PARAMS(arguments))

/*
 * DTRACE_PROBE - fire a probe where preemption may be disabled: in any context but a non-maskable
 * interrupt or an idle CPU. The arguments are evaluated only while the probe is enabled.
 */
#define DTRACE_PROBE(name, ...) trace_##name(__VA_ARGS__)

/* DTRACE_PROBE_ENABLED - true while the probe is enabled: for work that is done for it alone. */
#define DTRACE_PROBE_ENABLED(name) trace_##name##_enabled()

#endif
