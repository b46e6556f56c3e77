/* SPDX-License-Identifier: MIT */
/* header.h - the C header of a provider file: what dtrace -h writes. */
#ifndef DT_USDT_HEADER_H
#define DT_USDT_HEADER_H

#include "bytes.h"
#include "provider_file.h"

/*
 * header_text - append the header to text. output is its file name, which the include guard is made
 * from. Probes that the header's macros cannot serve are errors. Returns 0, or -1 after messages.
 */
int header_text(const struct provider_file *file, struct diag *diag, const char *output,
		struct bytes *text);

#endif
