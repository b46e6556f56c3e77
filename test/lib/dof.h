/* SPDX-License-Identifier: MIT */
/* dof.h - DOF of a provider, made by hand, section by section, right or wrong. (dof.c) */
#ifndef TEST_DOF_H
#define TEST_DOF_H

#include <stddef.h>
#include <dtrace/dof.h>

/* data: malloc'ed. They end the program if there is no memory. */
struct dof_bytes {
	char *data;
	size_t size;
};

/* Numbers of the sections that every provider has; those of others follow. */
enum { DOF_STRTAB, DOF_PROBES, DOF_PRARGS, DOF_PROFFS, DOF_OTHERS };

/* dof_add - append size bytes. Return their offset. */
size_t dof_add(struct dof_bytes *bytes, const void *data, size_t size);
/* dof_add_string - append a text to a string table. Return its offset. */
dof_stridx_t dof_add_string(struct dof_bytes *strings, const char *text);

/* dof_begin - make a file with space for its header and those of nsecs sections. */
void dof_begin(struct dof_bytes *file, unsigned int nsecs);
/* dof_add_section - append a section; number: of its header. */
void dof_add_section(struct dof_bytes *file, unsigned int number, uint32_t type, uint32_t align,
		     uint32_t entsize, const void *data, size_t size);
/* dof_end - write the header; version: DOF_VERSION_*. */
void dof_end(struct dof_bytes *file, unsigned int nsecs, uint8_t version);

/* dof_provider - a provider without sections of its own but for those that every one has. */
dof_provider_t dof_provider(dof_stridx_t name);

#endif
