/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * dof_read.h - read a DOF, whose bytes may be hostile. (dof_read.c)
 *
 * A struct dof belongs to one request; no lock protects it. Other threads may change the bytes
 * meanwhile if they are mapped, so that each value is copied before it is checked.
 */
#ifndef DTRACE_ENGINE_DOF_READ_H
#define DTRACE_ENGINE_DOF_READ_H

#include <dtrace/dof.h>
#include "core.h"

struct dof {
	const uint8_t *base;
	uint64_t size; /* bytes that may be read: the load size */
	dof_hdr_t hdr;
	struct dof_err *err;
};
/*
 * dof_open - check the header and the section table of size bytes at buf, and fill in dof. buf and
 * err must be valid as long as dof. -EINVAL with a message. -EINTR: a fatal signal is pending. May
 * sleep.
 */
int dof_open(struct dof *dof, const void *buf, size_t size, struct dof_err *err);
/*
 * dof_section - copy the description of a section, which must have that type and at least min
 * bytes.
 * -EINVAL with a message.
 */
int dof_section(const struct dof *dof, uint32_t index, uint32_t type, uint64_t min, dof_sec_t *sec);
/* dof_section_any - copy the description of a section of any type. index is below their number. */
void dof_section_any(const struct dof *dof, uint32_t index, dof_sec_t *sec);
/*
 * dof_entry - copy entry n of a table to out. size: bytes of an entry as the engine knows it; the
 * entries of the file may be longer, or, as far as dof_section() has let them, shorter.
 */
void dof_entry(const struct dof *dof, const dof_sec_t *sec, uint64_t n, void *out, size_t size);
/* dof_entries - return the number of entries of a table. */
uint64_t dof_entries(const dof_sec_t *sec, size_t size);
/* dof_string - return the string at an offset of a STRTAB section; NULL: there is none. */
const char *dof_string(const struct dof *dof, const dof_sec_t *strtab, uint64_t offset);
/* dof_section_name - return the name of a type of sections, for messages. */
const char *dof_section_name(uint32_t type);
/*
 * dof_probedesc - read a PROBEDESC section into desc, which is all zeros. -EINVAL with a message.
 */
int dof_probedesc(const struct dof *dof, dof_secidx_t index, dtrace_probedesc_t *desc);

#endif
