/* SPDX-License-Identifier: MIT */
/* handle.c - a handle: opened with its world, closed with all that belongs to it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "compile/version.h"
#include "consume/consume.h"
#include "libdir.h"
#include "proc.h"

const char *dtrace_version(void)
{
	return DT_VERSION;
}

const char *dtrace_language_version(void)
{
	return DT_LANGUAGE_LATEST_TEXT;
}

uint64_t dt_copt(const dtrace_hdl_t *dtp, enum dt_copt option)
{
	return dtp->copts[option];
}

dtrace_optval_t dt_option(dtrace_hdl_t *dtp, int option)
{
	return dtp->options[option];
}

int dt_words_add(dtrace_hdl_t *dtp, struct dt_words *words, const char *word)
{
	char **more = realloc(words->words, (words->n + 2) * sizeof(*more));

	if (!more)
		return dt_set_errno(dtp, ENOMEM);
	words->words = more;
	more[words->n] = strdup(word);
	if (!more[words->n])
		return dt_set_errno(dtp, ENOMEM);
	more[++words->n] = NULL;
	return 0;
}

/* Free all words, and make the list empty. */
static void words_fini(struct dt_words *words)
{
	for (int i = 0; i < words->n; i++)
		free(words->words[i]);
	free(words->words);
	*words = (struct dt_words){0};
}

void dt_debug(const dtrace_hdl_t *dtp, const char *format, ...)
{
	va_list ap;

	if (!dtp->copts[DT_COPT_DEBUG])
		return;
	va_start(ap, format);
	fputs("libdtrace DEBUG: ", stderr);
	vfprintf(stderr, format, ap);
	fputc('\n', stderr);
	va_end(ap);
}

/*
 * Open the world, and compare the version of its interface. Return 0, a libdtrace
 * error or an errno.
 */
static int handle_open(dtrace_hdl_t *dtp)
{
	int err = dtp->world_type->open(&dtp->world);

	if (err != 0)
		return err;
	if (dt_world_request(dtp, DTRACEIOC_CONF, &dtp->conf) == -1)
		return errno == ENOTTY ? EDT_MODULE : errno;
	return dtp->conf.dtc_version == DTRACE_IOCTL_VERSION ? 0 : EDT_MODULE;
}

/*
 * Set the handle's options to their defaults, and open its world. Return 0, a libdtrace error or an
 * errno.
 */
static int handle_init(dtrace_hdl_t *dtp, int flags)
{
	for (int i = 0; i < DTRACEOPT_MAX; i++)
		dtp->options[i] = DTRACEOPT_UNSET;
	dtp->copts[DT_COPT_VERSION] = DT_LANGUAGE_LATEST;
	dtp->copts[DT_COPT_DEBUG] = !!getenv("DTRACE_DEBUG");
	dtp->cpppath = strdup("cpp");
	dtp->syslibdir = libdir_find();
	if (!dtp->cpppath || !dtp->syslibdir)
		return ENOMEM;
	dtp->world_type = dt_world_by_flags(flags);
	if (!(flags & DTRACE_O_NODEV)) {
		int err = handle_open(dtp);

		if (err != 0)
			return err;
	}
	return dt_compiler_init(dtp) == 0 ? 0 : dtp->error;
}

dtrace_hdl_t *dtrace_open(int version, int flags, int *errp)
{
	dtrace_hdl_t *dtp = version == DTRACE_VERSION ? calloc(1, sizeof(*dtp)) : NULL;
	int err = version != DTRACE_VERSION ? EDT_VERSION : !dtp ? ENOMEM : handle_init(dtp, flags);

	if (err == 0)
		return dtp;
	if (errp)
		*errp = err;
	dtrace_close(dtp);
	return NULL;
}

void dtrace_close(dtrace_hdl_t *dtp)
{
	if (!dtp)
		return;
	dt_procs_fini(dtp);
	if (dtp->world)
		dtp->world->ops->close(dtp->world);
	dt_session_fini(dtp);
	dt_eprobes_fini(dtp);
	dt_aggs_fini(dtp);
	dt_names_fini(dtp);
	dt_kernel_syms_fini(dtp);
	dt_programs_fini(dtp);
	dt_compiler_fini(dtp);
	words_fini(&dtp->cppargs);
	words_fini(&dtp->libdirs);
	free(dtp->cpppath);
	free(dtp->syslibdir);
	free(dtp->btfpath);
	free(dtp->kallsyms);
	free(dtp->stmts);
	free(dtp->errmsg);
	free(dtp);
}

int dtrace_handle_err(dtrace_hdl_t *dtp, dtrace_handle_err_f *func, void *arg)
{
	dtp->handlers.err = func;
	dtp->handlers.errarg = arg;
	return 0;
}

int dtrace_handle_drop(dtrace_hdl_t *dtp, dtrace_handle_drop_f *func, void *arg)
{
	dtp->handlers.drop = func;
	dtp->handlers.droparg = arg;
	return 0;
}

int dtrace_handle_setopt(dtrace_hdl_t *dtp, dtrace_handle_setopt_f *func, void *arg)
{
	dtp->handlers.setopt = func;
	dtp->handlers.setoptarg = arg;
	return 0;
}

int dtrace_handle_buffered(dtrace_hdl_t *dtp, dtrace_handle_buffered_f *func, void *arg)
{
	dtp->handlers.buffered = func;
	dtp->handlers.bufarg = arg;
	return 0;
}

int dtrace_handle_proc(dtrace_hdl_t *dtp, dtrace_handle_proc_f *func, void *arg)
{
	dtp->handlers.proc = func;
	dtp->handlers.procarg = arg;
	return 0;
}
