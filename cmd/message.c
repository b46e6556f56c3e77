// SPDX-License-Identifier: MIT
/*
 * message.c - messages of the command on stderr, its end by an error, and faults of clauses.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"

static dtrace_hdl_t *handle; /* closed on errors, so that stopped processes continue */
static bool terminal;	     /* stderr is a terminal, which may be closed */
static bool closed;	     /* stderr was closed when the command began */
static bool unread;	     /* stderr has lost its reader */

void message_init(void)
{
	terminal = isatty(STDERR_FILENO);
	closed = (fcntl(STDERR_FILENO, F_GETFL) & O_ACCMODE) == O_RDONLY;
}

void message_set_handle(dtrace_hdl_t *dtp)
{
	handle = dtp;
}

static void message(const char *format, va_list ap)
{
	progress_end();
	fflush(stdout);
	fputs("dtrace: ", stderr);
	vfprintf(stderr, format, ap);
}

void notice(const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	message(format, ap);
	va_end(ap);
	if (fputc('\n', stderr) == EOF && (errno == EPIPE || (errno == EIO && terminal)))
		unread = true;
}

bool notice_is_lost(void)
{
	return unread;
}

/* End the command: complete a structured document, and close the handle. */
static void __attribute__((noreturn)) fail(void)
{
	if (handle)
		dtrace_oformat_teardown(handle);
	dtrace_close(handle);
	exit(CMD_ERROR);
}

void fatal(const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	message(format, ap);
	va_end(ap);
	fputc('\n', stderr);
	fail();
}

void dfatal(dtrace_hdl_t *dtp, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	message(format, ap);
	va_end(ap);
	fprintf(stderr, ": %s\n", dtrace_errmsg(dtp, dtrace_errno(dtp)));
	fail();
}

/* ---- faults ---- */

/*
 * A clause that faults at every hit would flood stderr. Faults that differ only in their address
 * are printed once for each reading of the buffers, then counted.
 */
#define NKINDS 32 /* kinds with a state of their own; faults of further kinds are all printed */

/* A fault at one instruction of a program. */
struct kind {
	dtrace_epid_t epid;
	int action, offset, fault;
	unsigned long long more; /* faults since it was printed */
	char *text;
};

static struct kind kinds[NKINDS];
static int nkinds;

static bool is_same(const struct kind *k, const dtrace_errdata_t *data)
{
	return k->epid == data->dteda_edesc->dtepd_epid && k->action == data->dteda_action &&
	       k->offset == data->dteda_offset && k->fault == data->dteda_fault;
}

void fault_report(const dtrace_errdata_t *data)
{
	struct kind *k;

	unread |= closed;
	for (k = kinds; k < kinds + nkinds; k++)
		if (is_same(k, data)) {
			k->more++;
			return;
		}
	notice("%.*s", (int)strcspn(data->dteda_msg, "\n"), data->dteda_msg);
	if (nkinds == NKINDS)
		return;
	*k = (struct kind){.epid = data->dteda_edesc->dtepd_epid,
			   .action = data->dteda_action,
			   .offset = data->dteda_offset,
			   .fault = data->dteda_fault,
			   .text = strdup(data->dteda_msg)};
	nkinds += !!k->text;
}

void fault_repeats(void)
{
	for (struct kind *k = kinds; k < kinds + nkinds; k++) {
		if (k->more != 0)
			notice("%llu more like this: %.*s", k->more, (int)strcspn(k->text, "\n"),
			       k->text);
		free(k->text);
	}
	nkinds = 0;
}
