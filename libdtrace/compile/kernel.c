/* SPDX-License-Identifier: MIT */
/* kernel.c - the kernel and its modules as sources of types. */
#include <bpf/libbpf.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../world.h"
#include "kernel.h"

typedef struct dt_kmodule {
	char *name, *path;
	dt_ktypes_t *types;
	int error; /* why they could not be read */
	bool tried;
} dt_kmodule_t;

/* The first module is vmlinux; the others build on its types. */
struct dt_kernel {
	dt_kmodule_t *modules;
	size_t n;
};

const char *kernel_module(const char *name)
{
	static const char *const aliases[] = {"kernel", "genunix", "unix", "mach_kernel"};

	for (size_t i = 0; i < sizeof(aliases) / sizeof(aliases[0]); i++)
		if (strcmp(aliases[i], name) == 0)
			return KERNEL_VMLINUX;
	return name;
}

/* ---- which modules there are ---- */

/* Add a module, which becomes the owner of path. Return false without memory. */
static bool kernel_add(struct dt_kernel *k, const char *name, char *path)
{
	dt_kmodule_t *more = path ? realloc(k->modules, (k->n + 1) * sizeof(*more)) : NULL;
	char *copy = strdup(name);

	if (more)
		k->modules = more;
	if (!more || !copy) {
		free(copy);
		free(path);
		return false;
	}
	k->modules[k->n++] = (dt_kmodule_t){.name = copy, .path = path};
	return true;
}

static char *kernel_path(const char *dir, const char *name)
{
	char *path;

	return asprintf(&path, "%s/%s", dir, name) < 0 ? NULL : path;
}

static int kernel_select(const struct dirent *d)
{
	return d->d_name[0] != '.' && strcmp(d->d_name, KERNEL_VMLINUX) != 0;
}

static bool kernel_list(struct dt_kernel *k, const char *dir)
{
	struct dirent **list;
	int n = scandir(dir, &list, kernel_select, alphasort);
	bool ok = n >= 0 || errno != ENOMEM;

	for (int i = 0; i < n; i++) {
		ok = ok && kernel_add(k, list[i]->d_name, kernel_path(dir, list[i]->d_name));
		free(list[i]);
	}
	if (n >= 0)
		free(list);
	return ok;
}

static bool kernel_scan(struct dt_kernel *k, const char *path)
{
	struct stat st;

	if (stat(path, &st) == 0 && !S_ISDIR(st.st_mode))
		return kernel_add(k, KERNEL_VMLINUX, strdup(path));
	return kernel_add(k, KERNEL_VMLINUX, kernel_path(path, KERNEL_VMLINUX)) &&
	       kernel_list(k, path);
}

static struct dt_kernel *kernel_init(dt_ctx_t *cx)
{
	struct dt_kernel *k = cx->comp->kernel;

	if (k)
		return k;
	k = cx->comp->kernel = calloc(1, sizeof(*k));
	if (k && kernel_scan(k, cx->dtp->btfpath ? cx->dtp->btfpath : KERNEL_BTF))
		return k;
	kernel_fini(cx->comp);
	longjmp(cx->fail, 2);
}

void kernel_need(dt_ctx_t *cx, const dt_loc_t *loc, const char *name)
{
	const char *hint = dt_world_lacks_kernel(cx->dtp);

	if (hint)
		dt_error(dt_hint(cx, "%s", hint), loc, D_SYM_BADREF, "%s needs the kernel module",
			 name);
}

void kernel_fini(struct dt_compiler *comp)
{
	struct dt_kernel *k = comp->kernel;

	for (size_t i = k ? k->n : 0; i-- > 0;) {
		ktypes_close(k->modules[i].types);
		free(k->modules[i].name);
		free(k->modules[i].path);
	}
	if (k)
		free(k->modules);
	free(k);
	comp->kernel = NULL;
}

/* ---- their types ---- */

/* Read the types of a module. libbpf must not print messages to the user. */
static dt_ktypes_t *kernel_read(dt_ctx_t *cx, dt_kmodule_t *m, dt_ktypes_t *base)
{
	libbpf_print_fn_t print = libbpf_set_print(NULL);

	errno = 0;
	m->types = ktypes_open(&cx->comp->arena, m->path, base);
	m->error = m->types ? 0 : errno;
	libbpf_set_print(print);
	if (m->error == ENOMEM)
		longjmp(cx->fail, 2);
	m->tried = true;
	return m->types;
}

static dt_ktypes_t *kernel_types(dt_ctx_t *cx, size_t i)
{
	struct dt_kernel *k = kernel_init(cx);
	dt_ktypes_t *base = i ? kernel_types(cx, 0) : NULL;
	dt_kmodule_t *m;

	if (i >= k->n || (i && !base))
		return NULL;
	m = &k->modules[i];
	if (m->tried)
		return m->types;
	return kernel_read(cx, m, base);
}

static size_t kernel_find(dt_ctx_t *cx, const char *name)
{
	struct dt_kernel *k = kernel_init(cx);
	size_t i = 0;

	while (i < k->n && strcmp(k->modules[i].name, name) != 0)
		i++;
	return i;
}

/* Return the text of an error. Errors other than the system's are from libbpf. */
static const char *kernel_error(int error)
{
	return error > 0 && error < __LIBBPF_ERRNO__START && error != EINVAL ? strerror(error)
									     : "it is not BTF";
}

const char *kernel_why(dt_ctx_t *cx)
{
	struct dt_kernel *k = kernel_init(cx);

	if (kernel_types(cx, 0))
		return "";
	return arena_printf(&cx->tmp, " (the kernel's types cannot be read from %s: %s)",
			    k->modules[0].path, kernel_error(k->modules[0].error));
}

dt_ctx_t *kernel_hint(dt_ctx_t *cx)
{
	if (kernel_types(cx, 0))
		return cx;
	return dt_hint(cx, "give another location of the kernel's types with -x btfpath=PATH");
}

static bool kernel_is_language(const char *module)
{
	return strcmp(module, "D") == 0 || strcmp(module, "C") == 0;
}

/* Return the end of the range of modules that may have a name, and set *from to its start. */
static size_t kernel_range(dt_ctx_t *cx, const char *module, size_t *from)
{
	*from = 0;
	if (kernel_is_language(module) || cx->userland)
		return 0;
	if (!*module)
		return kernel_init(cx)->n;
	*from = kernel_find(cx, kernel_module(module));
	return *from + 1;
}

/* A module knows the types of the kernel itself, which are not its own. */
static const char *kernel_parent(dt_ctx_t *cx, const char *module)
{
	size_t i, end = kernel_range(cx, module, &i);

	return *module && i && i < end && kernel_types(cx, i) ? KERNEL_VMLINUX : NULL;
}

/* The search goes on behind a declaration without a definition. */
const dt_type_t *kernel_type(dt_ctx_t *cx, const char *module, dt_ktype_class_t class,
			     const char *name)
{
	const dt_type_t *best = NULL, *t;
	size_t i, end = kernel_range(cx, module, &i);

	for (; i < end; i++) {
		dt_ktypes_t *types = kernel_types(cx, i);

		t = types ? ktypes_find(types, class, name) : NULL;
		if (t && t->complete)
			return t;
		if (!best)
			best = t;
	}
	if (!best && class <= KTYPE_ENUM && kernel_parent(cx, module))
		return kernel_type(cx, kernel_parent(cx, module), class, name);
	return best;
}

const dt_type_t *kernel_function(dt_ctx_t *cx, const char *module, const char *name)
{
	size_t i = kernel_find(cx, kernel_module(module));
	dt_ktypes_t *types = kernel_types(cx, i);

	return types ? ktypes_function(types, name) : NULL;
}

void kernel_spell(dt_ctx_t *cx, dt_ktype_class_t class, dt_spell_t *n)
{
	dt_ktypes_t *types = cx->userland || cx->trying ? NULL : kernel_types(cx, 0);

	if (types)
		ktypes_spell(types, class, n);
}

bool kernel_enumerator(dt_ctx_t *cx, const char *module, const char *name, int64_t *value,
		       const dt_type_t **type)
{
	size_t i, end = kernel_range(cx, module, &i);

	for (; i < end; i++) {
		dt_ktypes_t *types = kernel_types(cx, i);

		if (types && ktypes_enumerator(types, name, value, type))
			return true;
	}
	return kernel_parent(cx, module) &&
	       kernel_enumerator(cx, KERNEL_VMLINUX, name, value, type);
}
