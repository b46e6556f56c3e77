/* SPDX-License-Identifier: MIT */
/* version.c - versions of the D language, and the version in which each name appeared. */
#include <ctype.h>
#include <string.h>

#include "version.h"

#define V(major, minor, micro) DT_LANGUAGE(major, minor, micro)

static const uint32_t versions[] = {
	V(1, 0, 0), V(1, 1, 0),	 V(1, 2, 0),  V(1, 2, 1),  V(1, 2, 2),	V(1, 3, 0),
	V(1, 4, 0), V(1, 4, 1),	 V(1, 5, 0),  V(1, 6, 0),  V(1, 6, 1),	V(1, 6, 2),
	V(1, 6, 3), V(1, 7, 0),	 V(1, 7, 1),  V(1, 8, 0),  V(1, 8, 1),	V(1, 9, 0),
	V(1, 9, 1), V(1, 10, 0), V(1, 11, 0), V(1, 12, 0), V(1, 12, 1), V(1, 13, 0),
};

/* Names that came after the first version. */
static const struct {
	const char *name;
	uint32_t version;
} version_names[] = {
	{"freopen", V(1, 1, 0)},   {"ftruncate", V(1, 1, 0)}, {"index", V(1, 1, 0)},
	{"rindex", V(1, 1, 0)},	   {"strchr", V(1, 1, 0)},    {"strrchr", V(1, 1, 0)},
	{"strstr", V(1, 1, 0)},	   {"strtok", V(1, 1, 0)},    {"substr", V(1, 1, 0)},
	{"func", V(1, 2, 0)},	   {"mod", V(1, 2, 0)},	      {"setopt", V(1, 2, 0)},
	{"sym", V(1, 2, 0)},	   {"uaddr", V(1, 2, 0)},     {"ucaller", V(1, 2, 0)},
	{"ufunc", V(1, 2, 0)},	   {"umod", V(1, 2, 0)},      {"ustackdepth", V(1, 2, 0)},
	{"usym", V(1, 2, 0)},	   {"htonl", V(1, 3, 0)},     {"htonll", V(1, 3, 0)},
	{"htons", V(1, 3, 0)},	   {"ntohl", V(1, 3, 0)},     {"ntohll", V(1, 3, 0)},
	{"ntohs", V(1, 3, 0)},	   {"inet_ntoa", V(1, 5, 0)}, {"inet_ntoa6", V(1, 5, 0)},
	{"inet_ntop", V(1, 5, 0)}, {"stddev", V(1, 6, 0)},    {"llquantize", V(1, 7, 0)},
	{"vmregs", V(1, 7, 0)},	   {"tolower", V(1, 8, 0)},   {"toupper", V(1, 8, 0)},
	{"print", V(1, 9, 0)},	   {"getf", V(1, 10, 0)},     {"json", V(1, 11, 0)},
	{"strtoll", V(1, 11, 0)},
};

uint32_t version_of_name(const char *name)
{
	for (size_t i = 0; i < sizeof(version_names) / sizeof(version_names[0]); i++)
		if (*version_names[i].name == *name && strcmp(version_names[i].name, name) == 0)
			return version_names[i].version;
	return V(1, 0, 0);
}

/* Read a number of at most three digits at *text. Return false if there is none. */
static bool version_number(const char **text, uint32_t *n)
{
	const char *start = *text;

	for (*n = 0; isdigit((unsigned char)**text) && *text - start < 3; ++*text)
		*n = *n * 10 + (uint32_t)(**text - '0');
	return *text > start;
}

bool version_parse(const char *text, uint32_t *version)
{
	uint32_t n[3] = {0};

	for (int i = 0; i < 3; i++) {
		if (!version_number(&text, &n[i]))
			return false;
		if (!*text) {
			*version = V(n[0], n[1], n[2]);
			return n[0] <= UINT8_MAX;
		}
		if (*text++ != '.')
			return false;
	}
	return false;
}

bool version_known(uint32_t version)
{
	for (size_t i = 0; i < sizeof(versions) / sizeof(versions[0]); i++)
		if (versions[i] == version)
			return true;
	return false;
}
