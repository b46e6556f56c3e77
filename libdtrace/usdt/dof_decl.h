/* SPDX-License-Identifier: MIT */
/*
 * dof_decl.h - writes the declarations of a provider file as DOF: section dtrace_dof of -G's object
 * (site.h).
 */
#ifndef DT_USDT_DOF_DECL_H
#define DT_USDT_DOF_DECL_H

#include "bytes.h"
#include "provider_file.h"

/*
 * Append the DOF of all providers of the file to dof, for programs of the model (32 or 64 bits).
 * Append nothing if there is no provider. Return 0, or -1 if there is no memory.
 */
int dof_decl_write(const struct provider_file *file, int model, struct bytes *dof);

#endif
