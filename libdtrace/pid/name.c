/* SPDX-License-Identifier: MIT */
/* name.c - the names of the pid provider: patterns, modules by their aliases, functions. */
#include <ctype.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "impl.h"

bool pid_is_glob(const char *pattern)
{
	for (; *pattern != '\0'; pattern++) {
		if (*pattern == '\\' && pattern[1] != '\0')
			pattern++;
		else if (strchr("*?[", *pattern))
			return true;
	}
	return false;
}

void pid_unescape(const char *pattern, char *out, size_t len)
{
	for (; *pattern != '\0' && len > 1; pattern++, len--) {
		if (*pattern == '\\' && pattern[1] != '\0')
			pattern++;
		*out++ = *pattern;
	}
	*out = '\0';
}

void pid_escape(const char *name, char *out, size_t len)
{
	for (; *name != '\0' && len > 2; name++, len--) {
		if (strchr("*?[]\\:", *name)) {
			*out++ = '\\';
			len--;
		}
		*out++ = *name;
	}
	*out = '\0';
}

bool pid_name_matches(const char *pattern, const char *name)
{
	return *pattern == '\0' || fnmatch(pattern, name, 0) == 0;
}

/*
 * Return whether alias libx stands for a file: libx.so, libx.so.1, libx-2.31.so; libx.so for
 * libx.so.1.
 */
static bool module_alias(const char *alias, const char *base)
{
	size_t n = strlen(alias);
	const char *rest = base + n, *so;

	if (strncmp(alias, base, n) != 0)
		return false;
	if (n > 3 && strncmp(rest - 3, ".so.", 4) == 0)
		return true;
	so = strstr(rest, ".so");
	if (!so || (so[3] != '\0' && so[3] != '.'))
		return false;
	return so == rest || (*rest == '-' && isdigit((unsigned char)rest[1]) &&
			      strspn(rest, "-.0123456789") >= (size_t)(so - rest));
}

/*
 * Return whether libx.so.1 is a link to the file libx.so.1.2.3 in the same folder: programs and
 * ldd(1) know the library by that name.
 */
static bool module_link(const char *alias, const char *path)
{
	const char *base = basename(path);
	size_t n = strlen(alias), dir = base - path;
	char link[DT_MAPPATH];
	struct stat named, file;

	if (!strstr(alias, ".so.") || strncmp(alias, base, n) != 0 || base[n] != '.' ||
	    dir + n >= sizeof(link))
		return false;
	memcpy(link, path, dir);
	memcpy(link + dir, alias, n + 1);
	return stat(link, &named) == 0 && stat(path, &file) == 0 && named.st_dev == file.st_dev &&
	       named.st_ino == file.st_ino;
}

bool pid_module_matches(const char *pattern, const char *path, bool program)
{
	const char *base = basename(path);
	char literal[DT_MAPPATH];

	if (*pattern == '/')
		return pid_name_matches(pattern, path);
	if (pid_name_matches(pattern, base))
		return true;
	if (pid_is_glob(pattern))
		return false;
	pid_unescape(pattern, literal, sizeof(literal));
	return (program && strcmp(literal, "a.out") == 0) || module_alias(literal, base) ||
	       module_link(literal, path);
}

/* Write a name without its parameters and what follows them to buf. Return false if it has none. */
static bool name_remove_params(const char *plain, char *buf, size_t len)
{
	const char *end = strrchr(plain, ')'), *at = end;
	int depth = 0;

	for (; at && at > plain; at--) {
		depth += (*at == ')') - (*at == '(');
		if (depth == 0)
			break;
	}
	if (!at || at == plain || (size_t)(at - plain) >= len)
		return false;
	memcpy(buf, plain, at - plain);
	buf[at - plain] = '\0';
	return true;
}

const char *pid_function_matches(const char *pattern, struct dt_symtab *tab, size_t i, char *buf,
				 size_t len)
{
	const char *name = dt_symtab_function(tab, i)->name, *plain;
	size_t n = strcspn(name, "@"); /* a version follows */

	if (name[n] == '@' && n > 0 && n < len) {
		memcpy(buf, name, n);
		buf[n] = '\0';
		name = buf;
	}
	if (pid_name_matches(pattern, name))
		return name;
	if (strncmp(name, "_Z", 2) != 0)
		return NULL;
	plain = dt_symtab_plain(tab, i);
	if (pid_name_matches(pattern, plain))
		return plain;
	return name_remove_params(plain, buf, len) && pid_name_matches(pattern, buf) ? buf : NULL;
}

bool pid_name_is_offset(const char *name, uint64_t *value)
{
	const char *digits = strncmp(name, "0x", 2) == 0 ? name + 2 : name;

	if (*digits == '\0' || strlen(digits) > 16 ||
	    digits[strspn(digits, "0123456789abcdefABCDEF")] != '\0')
		return false;
	*value = strtoull(digits, NULL, 16);
	return true;
}
