/* SPDX-License-Identifier: MIT */
/*
 * ifunc.c - the function behind an ifunc. A symbol of that type is the address of what chooses
 * the function, which nobody calls later. What was chosen stands where the process calls it from:
 * in the slots that relocations of the same file name by the chooser's address, or relocations of
 * other files by the symbol's name.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include "../process/memory.h"
#include "impl.h"

struct choice {
	const struct pid_place *place; /* of the ifunc */
	uint64_t bias;		       /* of the object whose slots are looked at */
	int mem;
	uint64_t addr; /* what was chosen; 0: not known */
};

/* A slot that has not been filled leads into a table of jumps, where no function begins. */
static void choice_slot(void *arg, uint64_t slot)
{
	struct choice *ch = arg;
	struct pid_object *obj = ch->place->obj;
	uint64_t value = 0, start, size, offset;

	if (ch->addr != 0 ||
	    pread(ch->mem, &value, obj->bits / 8, slot + ch->bias) != obj->bits / 8)
		return;
	value -= ch->place->bias;
	if (obj->bits == 32)
		value = (uint32_t)value;
	if (pid_object_offset(obj, value, &offset) &&
	    pid_object_extent(obj, value, &start, &size) && start == value)
		ch->addr = value;
}

uint64_t pid_ifunc(const struct pid_place *place, const struct dt_function *func)
{
	struct choice ch = {.place = place, .bias = place->bias};
	char name[DTRACE_FUNCNAMELEN];

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(func->name, "@"), func->name);
	ch.mem = dt_memory_open(place->process, O_RDONLY);
	if (ch.mem == -1)
		return 0;
	pid_object_slots(place->obj, NULL, func->addr, choice_slot, &ch);
	if (ch.addr == 0 && place->program != NULL) {
		ch.bias = place->program->bias;
		pid_object_slots(place->program->obj, name, 0, choice_slot, &ch);
	}
	close(ch.mem);
	errno = 0;
	return ch.addr;
}
