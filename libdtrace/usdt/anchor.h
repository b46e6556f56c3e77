/* SPDX-License-Identifier: MIT */
/* anchor.h - the name by which sources with a header of -h ask linkers for the object of -G. */
#ifndef DT_USDT_ANCHOR_H
#define DT_USDT_ANCHOR_H

#include "bytes.h"
#include "object.h"
#include "provider_file.h"

/*
 * anchor_add_name - append what -h's header and -G's object of the same providers and probes call
 * it; nothing if the file declares no probe. bytes tell if there is no memory.
 */
void anchor_add_name(const struct provider_file *file, struct bytes *text);

/*
 * anchor_define - have the object define it for the providers of the file, hidden, and once however
 * many copies a program is linked with. Returns 0, or -1 after a message.
 */
int anchor_define(struct object *object, const struct provider_file *file);

#endif
