/* SPDX-License-Identifier: MIT */
/*
 * anchor.h - the symbol by which sources with a header of -h request the object of -G from an
 * archive.
 */
#ifndef DT_USDT_ANCHOR_H
#define DT_USDT_ANCHOR_H

#include "bytes.h"
#include "object.h"
#include "provider_file.h"

/*
 * Append the symbol's name, which is the same for -h's header and -G's object of the same providers
 * and probes. Append nothing if the file declares no probe. If memory runs out, text->failed is
 * set.
 */
void anchor_add_name(const struct provider_file *file, struct bytes *text);

/*
 * Define the symbol for the providers of the file in the object, as hidden, and once for any number
 * of copies in a program. Return 0, or -1 after a message.
 */
int anchor_define(struct object *object, const struct provider_file *file);

#endif
