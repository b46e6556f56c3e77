/* SPDX-License-Identifier: MIT */
/* machine.c - finds a machine, and has the code common to all machines. */
#include <string.h>
#include "machine.h"

static const struct machine *const machines[] = {&machine_x86_64, &machine_i386, &machine_aarch64};

#define NMACHINES (sizeof(machines) / sizeof(machines[0]))

const struct machine *machine_of(const GElf_Ehdr *header)
{
	int bits = header->e_ident[EI_CLASS] == ELFCLASS64 ? 64 : 32;
	size_t i;

	for (i = 0; i < NMACHINES; i++)
		if (header->e_ident[EI_DATA] == ELFDATA2LSB &&
		    header->e_machine == machines[i]->elf_machine && bits == machines[i]->bits)
			return machines[i];
	return NULL;
}

/* Return whether a word of len characters is in a list separated by blanks. */
static bool is_among(const char *word, size_t len, const char *list)
{
	for (; list; list = strchr(list, ' ')) {
		list += *list == ' ';
		if (!strncmp(list, word, len) && (!list[len] || list[len] == ' '))
			return true;
	}
	return false;
}

static const struct machine *named(const char *name, size_t len)
{
	size_t i;

	for (i = 0; i < NMACHINES && len; i++)
		if (is_among(name, len, machines[i]->name) ||
		    is_among(name, len, machines[i]->aliases))
			return machines[i];
	return NULL;
}

const struct machine *machine_named(const char *name)
{
	const struct machine *machine = named(name, strlen(name));

	return machine ? machine : named(name, strcspn(name, "-"));
}

const struct machine *machine_default(int bits)
{
	size_t i;

	if (bits == 32)
		return &machine_i386;
	for (i = 0; i < NMACHINES; i++)
		if (machines[i]->operands == OPERANDS_HERE && machines[i]->bits == 64)
			return machines[i];
	return &machine_x86_64;
}

struct machine_site machine_find(const struct machine *machine, uint32_t type, int64_t addend,
				 const uint8_t *code, size_t size, uint64_t offset, bool enabled)
{
	if (!code || size < 4 || offset > size - 4)
		return (struct machine_site){.call = MACHINE_NOT};
	return machine->find(type, addend, code, offset, enabled);
}

/* ---- arguments ---- */

static bool add_arg(const struct machine *machine, struct convention *c, struct value_class value,
		    struct bytes *args, struct bytes *text)
{
	dof_argloc_t loc = {.al_size = (uint8_t)value.size,
			    .al_base = DOF_REG_NONE,
			    .al_index = DOF_REG_NONE,
			    .al_scale = 1};

	if (value.kind == VALUE_OTHER)
		return false;
	if (value.kind == VALUE_FLOAT)
		loc.al_flags = DOF_LOCF_FLOAT;
	else if (value.is_signed)
		loc.al_flags = DOF_LOCF_SIGNED;
	machine->locate(c, value, &loc);
	machine_print(machine, text, &loc);
	return machine->encode(&loc, args);
}

int machine_args(const struct machine *machine, const struct provider_file *file,
		 const struct provider_probe *probe, enum machine_call call, struct bytes *args,
		 struct bytes *text)
{
	struct value_class value = {VALUE_INTEGER, (unsigned int)machine->bits / 8, false};
	unsigned int i, nargs = probe->typed ? probe->nargs : machine->words;
	struct convention c = {.stack = call == MACHINE_CALL ? 0 : machine->return_size};

	for (i = 0; i < nargs; i++) {
		if (probe->typed)
			value = c_type_value(&file->typedefs, probe->args[i].type, machine->bits);
		if (!add_arg(machine, &c, value, args, text))
			return (int)i + 1;
	}
	bytes_add(args, "", 1);
	return 0;
}

void machine_print(const struct machine *machine, struct bytes *text, const dof_argloc_t *loc)
{
	bytes_printf(text, "%s%s%u%s@", text->len ? " " : "",
		     loc->al_flags & DOF_LOCF_SIGNED ? "-" : "", loc->al_size,
		     loc->al_flags & DOF_LOCF_FLOAT ? "f" : "");
	if (loc->al_kind == DOF_LOC_NONE)
		bytes_printf(text, "?");
	else
		machine->print(text, loc);
}
