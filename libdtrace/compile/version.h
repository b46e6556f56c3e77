/* SPDX-License-Identifier: MIT */
/* version.h - versions of the D language, and the first version that has a name. */
#ifndef DT_VERSION_H
#define DT_VERSION_H

#include <stdbool.h>
#include <stdint.h>

/* A version as a number, as the preprocessor's __SUNW_D_VERSION has it: later ones are larger. */
#define DT_LANGUAGE(major, minor, micro) \
	((uint32_t)(major) << 24 | (uint32_t)(minor) << 12 | (uint32_t)(micro))
#define DT_LANGUAGE_LATEST	DT_LANGUAGE(1, 13, 0)
#define DT_LANGUAGE_LATEST_TEXT "1.13"

/* Set *version to that of a text such as "1.2" or "1.6.3". Return false if it is none. */
bool version_parse(const char *text, uint32_t *version);
/* Return whether a version exists. */
bool version_known(uint32_t version);
/* Return the first version that has a variable or function. */
uint32_t version_of_name(const char *name);

#endif
