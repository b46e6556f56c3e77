/* SPDX-License-Identifier: MIT */
/*
 * output_structured.c - the structured form: each firing is a record of a document, and the data of
 * each statement are objects in its output list. Drops and faults are records too.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include "command.h"
#include "document.h"

static struct dt_document *document(const struct dt_print *pr)
{
	return dt_session(pr->dtp)->document;
}

static struct dt_writer *record(const struct dt_print *pr)
{
	return &document(pr)->record;
}

/* Begin a record. Forget one that a failure has left incomplete. */
static int structured_begin(struct dt_print *pr)
{
	struct dt_document *doc = document(pr);
	const char *flow = pr->data.dtpda_flow == DTRACEFLOW_ENTRY    ? "entry"
			   : pr->data.dtpda_flow == DTRACEFLOW_RETURN ? "return"
								      : NULL;

	if (doc->recording)
		dt_writer_fini(&doc->record);
	doc->fp = !pr->con->mem ? pr->con->fp : NULL;
	doc->recording = dt_document_begin(pr->dtp, &doc->record, pr->data.dtpda_timestamp,
					   pr->data.dtpda_cpu, pr->data.dtpda_pdesc, flow);
	return doc->recording ? 0 : -1;
}

static int structured_end(struct dt_print *pr)
{
	document(pr)->recording = false;
	return dt_document_end(pr->dtp, record(pr));
}

static int structured_value(struct dt_print *pr, const struct dt_part *part)
{
	struct dt_arg arg = dt_part_arg(pr, part, 0);

	dt_document_part(pr->dtp, record(pr), &arg);
	return 0;
}

static int structured_tracemem(struct dt_print *pr, const struct dt_part *part)
{
	struct dt_writer *w = record(pr);
	size_t n;
	const void *data = dt_part_memory(pr, part, &n);

	dt_writer_object(w, NULL);
	dt_writer_hex(w, "value", data, n);
	dt_writer_end(w);
	return 0;
}

static int message(struct dt_print *pr, const struct dt_format *format, const struct dt_arg *args,
		   uint32_t n)
{
	struct dt_writer *w = record(pr);
	char *text = dt_format_text(pr->dtp, format, args, n);

	if (!text)
		return -1;
	dt_writer_object(w, NULL);
	dt_writer_cstring(w, "message", text);
	dt_writer_end(w);
	free(text);
	return 0;
}

/* Write the text, then its arguments. */
static int structured_printf(struct dt_print *pr, const struct dt_part *part)
{
	uint32_t n;
	struct dt_arg *args = dt_part_args(pr, part, &n);
	int err;

	if (!args)
		return dt_set_errno(pr->dtp, ENOMEM);
	err = message(pr, part->stmt->format, args, n);
	for (uint32_t i = 0; i < n && err == 0; i++)
		dt_document_part(pr->dtp, record(pr), &args[i]);
	free(args);
	return err;
}

static int structured_printa(struct dt_print *pr, const struct dt_part *part)
{
	return dt_document_printa(pr->dtp, record(pr), part->stmt);
}

static int structured_exit(struct dt_print *pr, const struct dt_part *part)
{
	struct dt_writer *w = record(pr);

	dt_writer_object(w, NULL);
	dt_writer_int(w, "exit",
		      dt_value_load(dt_part_data(pr, part->rec), part->rec->dtrd_size, true));
	dt_writer_end(w);
	return 0;
}

struct structured_command {
	const char *text;
	char *output; /* what it prints, malloc'ed, or NULL */
	size_t len;
	int status; /* as of wait(), or -1 */
};

static void command_run(void *arg)
{
	struct structured_command *command = arg;
	FILE *from = popen(command->text, "re"), *to;
	char chunk[4096];
	size_t n;

	if (!from)
		return;
	to = open_memstream(&command->output, &command->len);
	while (to && (n = fread(chunk, 1, sizeof(chunk), from)) > 0)
		fwrite(chunk, 1, n, to);
	command->status = pclose(from);
	if (!to || fclose(to) != 0) {
		free(command->output);
		command->output = NULL;
	}
}

/* Run a command, and write its output as a string, since it may contain any bytes. */
static int structured_system(struct dt_print *pr, const struct dt_part *part, const char *text)
{
	struct structured_command command = {.text = text, .status = -1};
	struct dt_writer *w = record(pr);

	dt_command_wait(pr->dtp, command_run, &command);
	if (!command.output || command.status == -1) {
		free(command.output);
		return dt_fault_library(pr->dtp, &pr->data, part->act,
					"cannot run the command of system()");
	}
	dt_writer_object(w, NULL);
	dt_writer_cstring(w, "command", text);
	dt_writer_int(w, "status",
		      WIFEXITED(command.status) ? WEXITSTATUS(command.status)
						: 128 + WTERMSIG(command.status));
	dt_writer_string(w, "stdout", command.output, command.len);
	dt_writer_end(w);
	free(command.output);
	return 0;
}

static int structured_aggregations(dtrace_hdl_t *dtp, FILE *fp)
{
	struct dt_writer w;

	dt_session(dtp)->document->fp = fp;
	if (!dt_document_news(dtp, &w, dtp->endcpu, "AGGREGATION"))
		return -1;
	dt_writer_list(&w, "output");
	if (dt_document_aggs(dtp, &w) != 0) {
		dt_writer_fini(&w);
		return -1;
	}
	return dt_document_end(dtp, &w);
}

/* Write the text of a message without its newline. */
static void news_message(struct dt_writer *w, const char *message)
{
	dt_writer_string(w, "msg", message, strcspn(message, "\n"));
}

static int structured_drop(dtrace_hdl_t *dtp, const dtrace_dropdata_t *drop)
{
	struct dt_writer w;

	if (!dt_document_news(dtp, &w, drop->dtdda_cpu, "DROP"))
		return -1;
	dt_writer_cstring(&w, "kind", dt_drop_tag(drop->dtdda_kind));
	dt_writer_uint(&w, "count", drop->dtdda_drops);
	dt_writer_uint(&w, "total", drop->dtdda_total);
	news_message(&w, drop->dtdda_msg);
	return dt_document_end(dtp, &w);
}

static int structured_fault(dtrace_hdl_t *dtp, const dtrace_errdata_t *err)
{
	struct dt_writer w;

	if (!dt_document_news(dtp, &w, err->dteda_cpu, "FAULT"))
		return -1;
	dt_writer_uint(&w, "epid", err->dteda_edesc->dtepd_epid);
	dt_writer_object(&w, "probe");
	dt_document_probe(&w, err->dteda_pdesc);
	dt_writer_end(&w);
	dt_writer_int(&w, "action", err->dteda_action);
	dt_writer_int(&w, "dif-offset", err->dteda_offset);
	dt_writer_int(&w, "fault", err->dteda_fault);
	dt_writer_cstring(&w, "kind", dtrace_faultstr(err->dteda_fault));
	dt_writer_uint(&w, "address", err->dteda_addr);
	news_message(&w, err->dteda_msg);
	return dt_document_end(dtp, &w);
}

static int structured_print(struct dt_print *pr, const struct dt_part *part)
{
	struct dt_arg arg = dt_part_arg(pr, part, 0);

	dt_document_print(pr->dtp, record(pr), &arg);
	return 0;
}

const struct dt_output dt_output_structured = {
	.begin = structured_begin,
	.end = structured_end,
	.drop = structured_drop,
	.fault = structured_fault,
	.exit = structured_exit,
	.trace = structured_value,
	.tracemem = structured_tracemem,
	.print = structured_print,
	.printf = structured_printf,
	.printa = structured_printa,
	.stack = structured_value,
	.symbol = structured_value,
	.system = structured_system,
	.aggregations = structured_aggregations,
};
