/* SPDX-License-Identifier: MIT */
/*
 * dof_decl.h - the declarations of a provider file as DOF: what section dtrace_dof of -G's object
 * holds (site.h).
 */
#ifndef DT_USDT_DOF_DECL_H
#define DT_USDT_DOF_DECL_H

#include "bytes.h"
#include "provider_file.h"

/*
 * dof_decl_write - append the DOF of all providers of the file to dof, for programs of the model
 * (32 or 64 bits). Nothing is appended if there is no provider. Returns 0, or -1 when there is no
 * memory.
 */
int dof_decl_write(const struct provider_file *file, int model, struct bytes *dof);

#endif
