/* SPDX-License-Identifier: MIT */
/* library.c - finds D libraries and compiles them in the order of their dependencies. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/stat.h>

#include "library.h"

typedef struct dt_library {
	const char *path;
	const char *name; /* within path */
	const char *text;
	struct stat st;
	enum { LIBRARY_NEW, LIBRARY_BEGUN, LIBRARY_DONE } state;
} dt_library_t;

typedef struct dt_libraries {
	dtrace_hdl_t *dtp;
	dt_library_t *libs;
	size_t n;
} dt_libraries_t;

/* Read a D library into memory of the compiler. Return NULL with errno if it cannot be read. */
static char *library_read(struct arena *arena, const char *path, struct stat *st)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char *text = NULL;

	if (fd == -1)
		return NULL;
	if (fstat(fd, st) == 0)
		text = arena_alloc(arena, (size_t)st->st_size + 1);
	if (text && read(fd, text, (size_t)st->st_size) == -1)
		text = NULL;
	close(fd);
	return text;
}

/*
 * Return whether a file is in the list. Two directories may be the same, and a file may have two
 * names.
 */
static bool library_is_known(const dt_libraries_t *ls, const struct stat *st)
{
	for (size_t i = 0; i < ls->n; i++)
		if (ls->libs[i].st.st_dev == st->st_dev && ls->libs[i].st.st_ino == st->st_ino)
			return true;
	return false;
}

/* Add a D library to the list, unless it is there. Its path and text are the compiler's. */
static int library_add(dt_libraries_t *ls, const char *dir, const char *name)
{
	dt_library_t *more = realloc(ls->libs, (ls->n + 1) * sizeof(*more)), *lib;
	struct arena *arena = &ls->dtp->comp->arena;

	if (!more)
		return dt_set_errno(ls->dtp, ENOMEM);
	ls->libs = more;
	lib = &ls->libs[ls->n];
	*lib = (dt_library_t){.path = arena_printf(arena, "%s/%s", dir, name)};
	if (!lib->path)
		return dt_set_errno(ls->dtp, ENOMEM);
	lib->name = basename(lib->path);
	lib->text = library_read(arena, lib->path, &lib->st);
	if (!lib->text)
		return dt_set_error(ls->dtp, errno, "cannot read D library %s: %s", lib->path,
				    strerror(errno));
	ls->n += !library_is_known(ls, &lib->st);
	return 0;
}

static int library_select(const struct dirent *d)
{
	size_t n = strlen(d->d_name);

	return n > 2 && d->d_name[0] != '.' && strcmp(d->d_name + n - 2, ".d") == 0;
}

/* Add the D libraries of a directory. A directory that does not exist has none. */
static int library_scan(dt_libraries_t *ls, const char *dir)
{
	struct dirent **list;
	int n = dir ? scandir(dir, &list, library_select, alphasort) : 0, rc = 0;

	if (n < 0 && errno != ENOENT)
		return dt_set_error(ls->dtp, errno, "cannot read library directory %s: %s", dir,
				    strerror(errno));
	for (int i = 0; i < n; i++) {
		if (rc == 0)
			rc = library_add(ls, dir, list[i]->d_name);
		free(list[i]);
	}
	if (n > 0)
		free(list);
	return rc;
}

static int library_compile(dt_libraries_t *ls, dt_library_t *lib);

static dt_library_t *library_find(dt_libraries_t *ls, const char *name, size_t len)
{
	for (size_t i = 0; i < ls->n; i++)
		if (strlen(ls->libs[i].name) == len && memcmp(ls->libs[i].name, name, len) == 0)
			return &ls->libs[i];
	return NULL;
}

/* Compile a D library that the D library by depends on. */
static int library_compile_named(dt_libraries_t *ls, const dt_library_t *by, const char *name,
				 size_t len)
{
	dt_library_t *lib = library_find(ls, name, len);

	if (!lib)
		return dt_set_error(ls->dtp, EDT_COMPILER,
				    "D library %s depends on library %.*s, which is not there",
				    by->path, (int)len, name);
	if (lib->state == LIBRARY_BEGUN)
		return dt_set_error(ls->dtp, EDT_COMPILER,
				    "D library %s depends on itself, by way of %s", by->path,
				    lib->name);
	return library_compile(ls, lib);
}

/* Compile the D libraries named in lines of the form "#pragma D depends_on library NAME". */
static int library_compile_dependencies(dt_libraries_t *ls, const dt_library_t *lib)
{
	static const char *const words[] = {"#pragma", "D", "depends_on", "library"};
	const char *p = lib->text, *end;
	int rc = 0;

	for (; *p && rc == 0; p = end + (*end == '\n')) {
		size_t i = 0;

		end = p + strcspn(p, "\n");
		for (; i < 4; i++) {
			p += strspn(p, " \t");
			if (strncmp(p, words[i], strlen(words[i])) != 0)
				break;
			p += strlen(words[i]);
		}
		p += strspn(p, " \t");
		if (i == 4)
			rc = library_compile_named(ls, lib, p, strcspn(p, " \t\r\n"));
	}
	return rc;
}

/*
 * Compile a D library. Leave it out if it depends on objects that do not exist. Return 0, or -1 on
 * other errors.
 */
static int library_compile(dt_libraries_t *ls, dt_library_t *lib)
{
	dt_source_t src = {.file = lib->path,
			   .text = lib->text,
			   .spec = DTRACE_PROBESPEC_NAME,
			   .flags = DTRACE_C_EMPTY,
			   .library = true};
	dtrace_prog_t *none;
	int rc;

	if (lib->state != LIBRARY_NEW)
		return 0;
	lib->state = LIBRARY_BEGUN;
	rc = library_compile_dependencies(ls, lib);
	if (rc != 0)
		return rc;
	rc = compile_run(ls->dtp, &src, &none);
	lib->state = LIBRARY_DONE;
	if (rc == 0)
		dt_debug(ls->dtp, "library %s is loaded", lib->path);
	return rc < 0 ? -1 : 0;
}

int library_load(dtrace_hdl_t *dtp)
{
	dt_libraries_t ls = {.dtp = dtp};
	int rc = library_scan(&ls, dtp->syslibdir);

	for (int i = 0; i < dtp->libdirs.n && rc == 0; i++)
		rc = library_scan(&ls, dtp->libdirs.words[i]);
	for (size_t i = 0; i < ls.n && rc == 0; i++)
		rc = library_compile(&ls, &ls.libs[i]);
	free(ls.libs);
	return rc < 0 ? -1 : 0;
}
