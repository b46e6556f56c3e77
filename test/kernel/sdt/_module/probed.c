// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * probed.c - a kernel module with probes of its own. A number written to its parameter call is the
 * number of hits of each probe. One probe counts how often its arguments are computed.
 */
#include <linux/module.h>
#include <linux/moduleparam.h>

#include <dtrace/kernel/sdt.h>

struct probed_request {
	int number;
	const char *name;
};

DTRACE_PROBE_DEFINE(probed_request, TP_PROTO(const struct probed_request *request, int n),
		    TP_ARGS(request, n));
DTRACE_PROBE_DEFINE(probed_many, TP_PROTO(long a, long b, long c, long d, long e, long f, long g),
		    TP_ARGS(a, b, c, d, e, f, g));
DTRACE_PROBE_DEFINE(probed_costly, TP_PROTO(unsigned int made), TP_ARGS(made));
DTRACE_PROBE_DEFINE(probed_loaded, TP_PROTO(int n), TP_ARGS(n));

static unsigned int probed_made;
module_param_named(made, probed_made, uint, 0444);

static int probed_call(const char *text, const struct kernel_param *kp)
{
	struct probed_request request = {.name = "a request"};
	unsigned int i, n;
	int error = kstrtouint(text, 0, &n);

	for (i = 0; i < n && !error; i++) {
		request.number = i;
		DTRACE_PROBE(probed_request, &request, -(int)i);
		DTRACE_PROBE(probed_many, 1, 2, 3, 4, 5, 6, 7);
		if (DTRACE_PROBE_ENABLED(probed_costly))
			DTRACE_PROBE(probed_costly, ++probed_made);
	}
	return error;
}

static const struct kernel_param_ops probed_ops = {.set = probed_call};

module_param_cb(call, &probed_ops, NULL, 0200);

static int __init probed_init(void)
{
	DTRACE_PROBE(probed_loaded, 42);
	return 0;
}

static void __exit probed_exit(void)
{
}

module_init(probed_init);
module_exit(probed_exit);

MODULE_DESCRIPTION("Probes to be traced");
MODULE_LICENSE("Dual MIT/GPL");
