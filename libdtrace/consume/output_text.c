/* SPDX-License-Identifier: MIT */
/*
 * output_text.c - the classic form: the data of a statement and its values as text, in columns
 * unless output is quiet.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "command.h"
#include "output.h"

#define ROW    16 /* bytes in a line of a dump */
#define MARGIN 5  /* columns before it */

/* ---- values: integers, strings, bytes ---- */

static void dump_row(FILE *fp, const unsigned char *c, size_t n)
{
	for (size_t i = 0; i < ROW; i++)
		if (i < n)
			fprintf(fp, " %02x", c[i]);
		else
			fputs("   ", fp);
	fputs("  ", fp);
	for (size_t i = 0; i < n; i++)
		fputc(c[i] >= ' ' && c[i] < 0x7f ? c[i] : '.', fp);
	fputc('\n', fp);
}

void dt_value_dump(FILE *fp, const void *p, size_t size)
{
	const unsigned char *c = p;

	if (size == 0)
		return;
	fprintf(fp, "\n%*s      ", MARGIN, "");
	for (int i = 0; i < ROW; i++)
		fprintf(fp, "  %x", i);
	fputs("  0123456789abcdef\n", fp);
	for (size_t off = 0; off < size; off += ROW) {
		fprintf(fp, "%*s%5zx:", MARGIN, "", off);
		dump_row(fp, c + off, size - off < ROW ? size - off : ROW);
	}
}

/* Return the columns for an integer of a size, outside quiet output. */
static int value_width(size_t size)
{
	return size == 8 ? 16 : size == 4 ? 8 : size == 2 ? 5 : 3;
}

static void value_int(FILE *fp, const struct dt_type *type, const void *p, size_t size, bool quiet)
{
	bool is_signed = type ? dt_type_signed(type) : size >= 4;
	int64_t v = dt_value_load(p, size, is_signed);
	int width = quiet ? 0 : value_width(size);

	if (!quiet)
		fputc(' ', fp);
	if (is_signed)
		fprintf(fp, "%*" PRId64, width, v);
	else
		fprintf(fp, "%*" PRIu64, width, (uint64_t)v);
}

static void value_string(FILE *fp, const char *p, size_t len, bool quiet, int width)
{
	if (quiet)
		fwrite(p, 1, len, fp);
	else
		fprintf(fp, " %s%*.*s", width < 0 ? " " : "", width, (int)len, p);
}

void dt_value_print(dtrace_hdl_t *dtp, FILE *fp, const dtrace_diftype_t *rtype,
		    const struct dt_type *type, const void *p, size_t size, bool quiet, int width)
{
	bool raw = dt_option(dtp, DTRACEOPT_RAWBYTES) == 1;
	size_t len;

	if (rtype && rtype->dtdt_kind == DIF_TYPE_STRING && !raw)
		value_string(fp, p, strnlen(p, size), quiet, width);
	else if ((size == 1 || size == 2 || size == 4 || size == 8) &&
		 (!rtype || !(rtype->dtdt_flags & DIF_TF_BYREF)))
		value_int(fp, type, p, size, quiet);
	else if (!raw && !(type && type_is_record(type)) && dt_value_text(p, size, &len))
		value_string(fp, p, len, quiet, width);
	else
		dt_value_dump(fp, p, size);
}

/* ---- statements ---- */

static int text_trace(struct dt_print *pr, const struct dt_part *part)
{
	struct dt_arg arg = dt_part_arg(pr, part, 0);

	dt_value_print(pr->dtp, pr->con->fp, arg.rtype, arg.type, arg.data, arg.rec->dtrd_size,
		       pr->quiet, -33);
	return 0;
}

static int text_tracemem(struct dt_print *pr, const struct dt_part *part)
{
	size_t n;
	const void *data = dt_part_memory(pr, part, &n);

	dt_value_dump(pr->con->fp, data, n);
	return 0;
}

static int text_print(struct dt_print *pr, const struct dt_part *part)
{
	struct dt_arg arg = dt_part_arg(pr, part, 0);

	dt_typed_print(pr->dtp, pr->con->fp, arg.type, arg.data, arg.rec->dtrd_size);
	return 0;
}

static int text_printf(struct dt_print *pr, const struct dt_part *part)
{
	uint32_t n;
	struct dt_arg *args = dt_part_args(pr, part, &n);

	if (!args)
		return dt_set_errno(pr->dtp, ENOMEM);
	dt_format_print(pr->dtp, pr->con->fp, part->stmt->format, args, n, NULL, 0);
	free(args);
	return 0;
}

static int text_printa(struct dt_print *pr, const struct dt_part *part)
{
	return dt_printa(pr->dtp, pr->con, part->stmt);
}

static int text_stack(struct dt_print *pr, const struct dt_part *part)
{
	fputc('\n', pr->con->fp);
	dt_frames_print(pr->dtp, pr->con->fp, part->rec, dt_part_data(pr, part->rec),
			dt_indent(pr->dtp), 0);
	return 0;
}

static int text_symbol(struct dt_print *pr, const struct dt_part *part)
{
	char text[DTRACE_FULLNAMELEN];

	dt_symbol_text(pr->dtp, part->rec->dtrd_action, dt_part_data(pr, part->rec), text,
		       sizeof(text));
	fprintf(pr->con->fp, "  %-50s", text);
	return 0;
}

struct text_command {
	const char *text;
	int status; /* as of wait(), or -1 */
};

static void command_run(void *arg)
{
	struct text_command *command = arg;

	command->status = system(command->text);
}

/* Run a command, which writes to the consumer's output. */
static int text_system(struct dt_print *pr, const struct dt_part *part, const char *text)
{
	struct text_command command = {.text = text};

	fflush(pr->con->fp);
	if (dt_consumer_flush(pr->dtp, pr->con, NULL) != 0)
		return -1;
	dt_command_wait(pr->dtp, command_run, &command);
	if (command.status == -1)
		return dt_fault_library(pr->dtp, &pr->data, part->act,
					"cannot run the command of system()");
	return 0;
}

const struct dt_output dt_output_text = {
	.trace = text_trace,
	.tracemem = text_tracemem,
	.print = text_print,
	.printf = text_printf,
	.printa = text_printa,
	.stack = text_stack,
	.symbol = text_symbol,
	.system = text_system,
	.aggregations = dt_aggs_print,
	.rewinds = true,
};
