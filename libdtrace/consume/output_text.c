/* SPDX-License-Identifier: MIT */
/*
 * output_text.c - the classic form: the data of a statement as text, in columns unless output is
 * quiet.
 */
#include <errno.h>
#include <stdlib.h>
#include "command.h"
#include "output.h"

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
