/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * stable.h - the stable providers: proc, sched and others, whose probes mean the same on every
 * kernel, whatever the names of its functions.
 *
 * A provider is two tables. The first has its probes with the types of their arguments. The second
 * has triggers: the tracepoints and functions of the kernel at which the probes fire. The handler
 * of a trigger looks at the event and decides whether to fire. It passes pointers of the kernel
 * unchanged: translators of the D library read the structures.
 *
 * A trigger that this kernel lacks is left out, and so is a probe without triggers. A trigger in a
 * module is left out while the module is not loaded. /proc/dtrace/triggers lists them all.
 */
#ifndef DTRACE_PROVIDERS_STABLE_H
#define DTRACE_PROVIDERS_STABLE_H

#include <linux/build_bug.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/ptrace.h>
#include <linux/types.h>

#include "engine.h"
#include "hooks/function.h"

struct tracepoint;
struct stable_trigger;

#define STABLE_NARGS 8

/* A probe. */
struct stable_probe {
	const char *name;
	struct dtrace_arg args[STABLE_NARGS]; /* args[], up to the first without a type */
	/* private to stable.c */
	dtrace_probe_t *probe;
	bool enabled; /* [engine lock] it is enabled; sync reads it */
};

enum stable_kind { STABLE_TRACEPOINT, STABLE_ENTRY, STABLE_RETURN, STABLE_WAIT };

/*
 * Handlers of a function's entry or return, which must be notrace. See function_user_ops for regs,
 * first and the context.
 */
typedef void stable_entered_t(const struct stable_trigger *trigger, struct pt_regs *regs);
typedef void stable_returned_t(const struct stable_trigger *trigger, struct pt_regs *regs,
			       unsigned long first);
typedef void stable_waited_t(const struct stable_trigger *trigger, struct pt_regs *regs,
			     unsigned long first, u64 ns, bool slept);

/* Where a probe fires. Made by the macros below. */
struct stable_trigger {
	const char *probe; /* name of the probe */
	enum stable_kind kind;
	const char *symbol; /* name of the tracepoint or function */
	const char *module; /* whose tracepoint it is; NULL: the kernel's own */
	union {
		/* handler of a tracepoint: the trigger, then the tracepoint's own arguments */
		void *tracepoint;
		stable_entered_t *entered;
		stable_returned_t *returned;
		stable_waited_t *waited;
	};
	/* private to stable.c */
	dtrace_probe_t *fires;
	struct stable_probe *of;
	struct tracepoint *tp;	   /* of kind STABLE_TRACEPOINT; NULL: there is none now */
	struct function_user user; /* of the other kinds */
	unsigned long site;	   /* 0: the kernel has none */
	bool hooked;
};

/*
 * STABLE_TP - a trigger at a tracepoint of the kernel. The compiler compares the handler with the
 * tracepoint's prototype.
 */
#define STABLE_TP(probe_, name, handler_)                                                      \
	{                                                                                      \
		.probe = probe_, .kind = STABLE_TRACEPOINT, .symbol = #name,                   \
		.tracepoint =                                                                  \
			(void *)(handler_) + BUILD_BUG_ON_ZERO(!__builtin_types_compatible_p(  \
						     typeof(check_trace_callback_type_##name), \
						     void(typeof(&handler_))))                 \
	}
/*
 * STABLE_MODULE_TP - a trigger at a tracepoint of a module, which the kernel's headers do not have:
 * the compiler compares nothing.
 */
#define STABLE_MODULE_TP(probe_, module_, name, handler_)                                      \
	{                                                                                      \
		.probe = probe_, .kind = STABLE_TRACEPOINT, .module = module_, .symbol = name, \
		.tracepoint = (void *)(handler_)                                               \
	}
/* STABLE_ENTERED - a trigger at the entry of a function of that name. */
#define STABLE_ENTERED(probe_, name, handler_)                                             \
	{                                                                                  \
		.probe = probe_, .kind = STABLE_ENTRY, .symbol = name, .entered = handler_ \
	}
/* STABLE_RETURNED - a trigger at its return. */
#define STABLE_RETURNED(probe_, name, handler_)                                              \
	{                                                                                    \
		.probe = probe_, .kind = STABLE_RETURN, .symbol = name, .returned = handler_ \
	}
/* STABLE_WAITED - a trigger at its return, for a function that waits. */
#define STABLE_WAITED(probe_, name, handler_)                                            \
	{                                                                                \
		.probe = probe_, .kind = STABLE_WAIT, .symbol = name, .waited = handler_ \
	}

/* STABLE_MISSING - a trigger at a tracepoint that the headers of this kernel do not have. */
#define STABLE_MISSING(probe_, name)                                       \
	{                                                                  \
		.probe = probe_, .kind = STABLE_TRACEPOINT, .symbol = name \
	}

/* A provider. */
struct stable_provider {
	const char *name;
	bool more; /* there is another provider of that name, which has other probes */
	struct stable_probe *probes;
	unsigned int nprobes;
	struct stable_trigger *triggers;
	unsigned int ntriggers;
	/* private to stable.c */
	dtrace_provider_t *provider;
	bool made; /* [sync lock] the probes exist */
};

/* All stable providers: NAME_provider. */
#define STABLE_PROVIDERS(PROVIDER) \
	PROVIDER(proc)             \
	PROVIDER(sched)            \
	PROVIDER(io)               \
	PROVIDER(udp)              \
	PROVIDER(tcp)              \
	PROVIDER(ip)               \
	PROVIDER(sysinfo)          \
	PROVIDER(fsinfo)           \
	PROVIDER(lockstat)         \
	PROVIDER(notifier)         \
	PROVIDER(faults)           \
	PROVIDER(tcp_data)         \
	PROVIDER(interrupts)

#define STABLE_DECLARE(name) extern struct stable_provider name##_provider;
STABLE_PROVIDERS(STABLE_DECLARE)
#undef STABLE_DECLARE

/*
 * stable_file_mode - return the mode of the struct file at an address, 0 if it cannot be read.
 * Probe context.
 */
fmode_t stable_file_mode(unsigned long file);
/* stable_file_may - return whether the file may be used in all these ways. Probe context. */
static __always_inline bool stable_file_may(unsigned long file, fmode_t mode)
{
	return (stable_file_mode(file) & mode) == mode;
}
/*
 * stable_fire - fire the probe of a trigger, with the native arguments that follow. regs: of the
 * function, or NULL at a tracepoint. Probe context.
 */
#define stable_fire(trigger, regs_, ...)                                      \
	do {                                                                  \
		const uint64_t args_[] = {__VA_ARGS__};                       \
		const struct dtrace_fire fire_ = {.args = args_,              \
						  .nargs = ARRAY_SIZE(args_), \
						  .regs = (regs_),            \
						  .no_process = true};        \
		dtrace_fire((trigger)->fires, &fire_);                        \
	} while (0)

#endif
