/* SPDX-License-Identifier: MIT */
/* foreign.c - functions and variables of other DTraces that this one does not have, and why. */
#include <stddef.h>
#include <string.h>

#include "foreign.h"

static const char streams[] = "Linux has no STREAMS";
static const char sx[] = "Linux has no sx locks: use mutex_owned( ), rw_write_held( )";
static const char apple[] = "it serves a facility of macOS";
static const char windows[] = "it serves a facility of Windows";
static const char counter[] = "counters of the processor are not read by clauses";

static const struct {
	const char *name;
	const char *reason;
} foreign[] = {
	{ "ddi_pathname", "Linux has no tree of device instances" },
	{ "msgsize", streams },
	{ "msgdsize", streams },
	{ "sx_shared_held", sx },
	{ "sx_exclusive_held", sx },
	{ "sx_isexclusive", sx },
	{ "pcap", "packets are not written to files: use tracemem( )" },
	{ "etw_trace", windows },
	{ "lkd", windows },
	{ "irql", "Linux has no such levels: use ipl" },
	{ "apple_log", apple },
	{ "apple_general", apple },
	{ "apple_stack", apple },
	{ "apple_ustack", apple },
	{ "apple_flag", apple },
	{ "apple_define", apple },
	{ "pidresume", "processes are resumed by signals: use system( )" },
	{ "kdebug_trace", apple },
	{ "kdebug_trace_string", apple },
	{ "livedump", apple },
	{ "vm_kernel_addrperm", apple },
	{ "dispatchqaddr", apple },
	{ "strip", "pointers carry no signature on this machine" },
	{ "mtons", "timestamp is in nanoseconds already" },
	{ "machtimestamp", "use timestamp" },
	{ "machctimestamp", "use timestamp" },
	{ "kvtophys", "clauses do not see physical memory" },
	{ "physmem_read", "clauses do not see physical memory" },
	{ "physmem_write", "clauses do not see physical memory" },
	{ "vmregs", "registers of a hypervisor are not visible" },
	{ "cpucycles", counter },
	{ "cpuinstrs", counter },
	{ "vcycles", counter },
	{ "vinstrs", counter },
};

const char *foreign_reason(const char *name)
{
	for (size_t i = 0; i < sizeof(foreign) / sizeof(*foreign); i++) {
		if (strcmp(foreign[i].name, name) == 0)
			return foreign[i].reason;
	}
	return NULL;
}
