/* SPDX-License-Identifier: MIT */
/* header.h - writes the C header of a provider file: dtrace -h. */
#ifndef DT_USDT_HEADER_H
#define DT_USDT_HEADER_H

#include "bytes.h"
#include "provider_file.h"

/*
 * Append the header to text. The include guard is derived from output, its file name. Probes that
 * macros cannot express are errors. Return 0, or -1 after messages.
 */
int header_text(const struct provider_file *file, struct diag *diag, const char *output,
		struct bytes *text);

#endif
