/* SPDX-License-Identifier: MIT */
/* function.h - the name of a function as its source has it. */
#ifndef DRTI_FUNCTION_H
#define DRTI_FUNCTION_H

#include <stddef.h>

#define FUNCTION_SIZE 1024 /* bytes of a name that callers have space for */

/*
 * Write the name of a C++ function, as it is in the source, to name.
 *	text	what the compiler (__PRETTY_FUNCTION__) or a demangler says of the function, with
 *		its parameters; any other text is the name already
 *	size	of name, not 0; a longer name is cut
 */
void function_name(const char *text, char *name, size_t size);

#endif
