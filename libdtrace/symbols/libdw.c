/* SPDX-License-Identifier: MIT */
/*
 * libdw.c - opens a file by libdw, which looks for debug information in it and in the separate file
 * that its build ID or .gnu_debuglink names.
 */
#include <unistd.h>
#include "libdw.h"

/* Return a session of libdw, or NULL. */
static Dwfl *dwfl_new(void)
{
	static char *where; /* libdw's default: beside the file, and below /usr/lib/debug */
	static const Dwfl_Callbacks callbacks = {
		.find_elf = dwfl_build_id_find_elf,
		.find_debuginfo = dwfl_standard_find_debuginfo,
		.section_address = dwfl_offline_section_address,
		.debuginfo_path = &where,
	};

	return dwfl_begin(&callbacks);
}

Dwfl *dt_dwfl_open(int fd, const char *name, Dwfl_Module **module)
{
	Dwfl *dwfl = fd != -1 ? dwfl_new() : NULL;

	*module = dwfl ? dwfl_report_offline(dwfl, name, name, fd) : NULL;
	if (!*module && fd != -1)
		close(fd);
	if (*module && dwfl_report_end(dwfl, NULL, NULL) == 0)
		return dwfl;
	dwfl_end(dwfl);
	return NULL;
}
