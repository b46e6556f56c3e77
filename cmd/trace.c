// SPDX-License-Identifier: MIT
/*
 * trace.c - runs a tracing session: starts processes, enables programs, and prints their output.
 *
 * The first interrupt stops tracing: END fires, then the remaining records and the aggregations are
 * printed. The second interrupt ends the command at once.
 */
#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"

#define IDS_MOST 65536 /* probe numbers in one -i */

static volatile sig_atomic_t interrupted; /* number of signals that ask for the end */
static volatile sig_atomic_t newline;	  /* ^C was echoed: begin a new line */

/* The argument of all handlers and consumer functions. */
struct trace {
	dtrace_hdl_t *dtp;
	FILE *fp;  /* NULL: output goes through the buffered-output handler */
	FILE *out; /* the file that output is written to */
	bool quiet, flow;
	bool testing;	 /* omit columns that differ from run to run */
	bool structured; /* the library writes records as a document */
	bool heading;	 /* has been printed */
	int error;	 /* errno of the buffered-output handler's write */
	bool lost;	 /* the output has lost its reader */
	int status;
	bool exited; /* status is from exit() */
	struct ps_prochandle **procs;
	int nprocs, nlive;
};

/* Count a signal. A closing terminal may cause two hangups, from the kernel and from the shell. */
static void on_signal(int sig)
{
	if (sig == SIGHUP && interrupted)
		return;
	interrupted++;
	newline = 1;
	if (interrupted > 1)
		_exit(CMD_ERROR);
}

/*
 * Install the signal handlers. Shells make background commands ignore interrupts, but scripts send
 * them to end dtrace, so an ignored SIGINT is handled too. An ignored SIGHUP is left to nohup.
 */
static void signals_set(void)
{
	struct sigaction act = {.sa_handler = on_signal}, old;

	sigemptyset(&act.sa_mask);
	sigaction(SIGINT, &act, NULL);
	sigaction(SIGTERM, &act, NULL);
	sigaction(SIGHUP, NULL, &old);
	if (old.sa_handler != SIG_IGN)
		sigaction(SIGHUP, &act, NULL);
}

/* ---- handlers ---- */

static bool option_on(dtrace_hdl_t *dtp, const char *name)
{
	dtrace_optval_t value = 0;

	return dtrace_getopt(dtp, name, &value) == 0 && value == 1;
}

static int on_error(const dtrace_errdata_t *data, void *arg)
{
	const struct trace *t = arg;

	if (!t->structured)
		fault_report(data);
	return DTRACE_HANDLE_OK;
}

static int on_drop(const dtrace_dropdata_t *data, void *arg)
{
	const struct trace *t = arg;

	if (!t->structured)
		notice("%.*s", (int)strcspn(data->dtdda_msg, "\n"), data->dtdda_msg);
	return DTRACE_HANDLE_OK;
}

static int on_setopt(const dtrace_setoptdata_t *data, void *arg)
{
	struct trace *t = arg;

	if (strcmp(data->dtsda_option, "quiet") == 0)
		t->quiet = data->dtsda_newval == 1;
	if (strcmp(data->dtsda_option, "flowindent") == 0)
		t->flow = data->dtsda_newval == 1;
	return DTRACE_HANDLE_OK;
}

/* Print how a process ended; status is that of wait(2), or -1 if unknown. */
static void ended_report(pid_t pid, int status)
{
	const char *name = NULL;

	if (status != -1 && WIFSIGNALED(status)) {
		name = sigabbrev_np(WTERMSIG(status));
		if (name)
			notice("pid %d terminated by SIG%s", (int)pid, name);
		else
			notice("pid %d terminated by signal %d", (int)pid, WTERMSIG(status));
	} else if (status != -1 && WEXITSTATUS(status) != 0) {
		notice("pid %d exited with status %d", (int)pid, WEXITSTATUS(status));
	} else {
		notice("pid %d has exited", (int)pid);
	}
}

/* With -x exitstatus, take the status of $target, in the form that shells use. */
static void status_take(struct trace *t, pid_t pid, int status)
{
	if (status == -1 || t->exited || pid != dtrace_proc_pid(t->procs[0]) ||
	    !option_on(t->dtp, "exitstatus"))
		return;
	t->status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static int on_proc(const dtrace_procdata_t *data, void *arg)
{
	struct trace *t = arg;

	if (data->dtpcd_msg) {
		if (data->dtpcd_pid != 0)
			notice("pid %d: %s", (int)data->dtpcd_pid, data->dtpcd_msg);
		else
			notice("%s", data->dtpcd_msg);
		return DTRACE_HANDLE_OK;
	}
	t->nlive--;
	status_take(t, data->dtpcd_pid, data->dtpcd_status);
	if (!t->quiet)
		ended_report(data->dtpcd_pid, data->dtpcd_status);
	return DTRACE_HANDLE_OK;
}

static int on_buffered(const dtrace_bufdata_t *data, void *arg)
{
	struct trace *t = arg;

	if (fputs(data->dtbda_buffered, t->out) != EOF && fflush(t->out) == 0)
		return DTRACE_HANDLE_OK;
	t->error = errno;
	return DTRACE_HANDLE_ABORT;
}

static void handlers_set(struct trace *t, bool buffered)
{
	if (dtrace_handle_err(t->dtp, on_error, t) != 0 ||
	    dtrace_handle_drop(t->dtp, on_drop, t) != 0 ||
	    dtrace_handle_setopt(t->dtp, on_setopt, t) != 0 ||
	    dtrace_handle_proc(t->dtp, on_proc, t) != 0 ||
	    (buffered && dtrace_handle_buffered(t->dtp, on_buffered, t) != 0))
		dfatal(t->dtp, "failed to set up");
}

/* ---- output ---- */

/*
 * Print the titles of the columns before the first record; programs that only aggregate have none.
 */
static void heading_print(struct trace *t)
{
	t->heading = true;
	if (t->quiet && !t->flow)
		return;
	if (!t->testing)
		fprintf(t->out, "%3s ", "CPU");
	if (t->flow) {
		fprintf(t->out, "%-41s\n", "FUNCTION");
		return;
	}
	if (!t->testing)
		fprintf(t->out, "%6s ", "ID");
	fprintf(t->out, "%32s\n", "FUNCTION:NAME");
}

/* Print an indented probe after its arrow. The name is added only for probes without an arrow. */
static void flow_print(struct trace *t, const dtrace_probedata_t *data)
{
	const dtrace_probedesc_t *pd = data->dtpda_pdesc;
	bool within = data->dtpda_flow == DTRACEFLOW_NONE;
	char name[DTRACE_FULLNAMELEN + 512];

	snprintf(name, sizeof(name), "%*s%s%s%s%s", data->dtpda_indent, "", data->dtpda_prefix,
		 pd->dtpd_func, within ? ":" : "", within ? pd->dtpd_name : "");
	if (!t->testing)
		fprintf(t->out, "%3d ", data->dtpda_cpu);
	fprintf(t->out, "%-41s ", name);
}

/* Ignore hangups from END on, so that commands of its system() outlive the terminal. */
static void end_begins(const dtrace_probedesc_t *pd)
{
	if (strcmp(pd->dtpd_name, "END") == 0 && strcmp(pd->dtpd_provider, "dtrace") == 0)
		signal(SIGHUP, SIG_IGN);
}

/* Print the columns before a record's data. */
static int before_record(const dtrace_probedata_t *data, void *arg)
{
	const dtrace_probedesc_t *pd = data->dtpda_pdesc;
	char name[DTRACE_FULLNAMELEN];
	struct trace *t = arg;

	end_begins(pd);
	if (t->structured)
		return DTRACE_CONSUME_THIS;
	if (!t->heading)
		heading_print(t);
	if (t->flow) {
		flow_print(t, data);
	} else if (!t->quiet) {
		snprintf(name, sizeof(name), "%s:%s", pd->dtpd_func, pd->dtpd_name);
		if (!t->testing)
			fprintf(t->out, "%3d %6u ", data->dtpda_cpu, pd->dtpd_id);
		fprintf(t->out, "%32s ", name);
	}
	return DTRACE_CONSUME_THIS;
}

static int before_action(const dtrace_probedata_t *data, const dtrace_recdesc_t *rec, void *arg)
{
	struct trace *t = arg;
	int32_t status;

	if (!rec) {
		if (!t->structured && (!t->quiet || t->flow))
			fputc('\n', t->out);
		return DTRACE_CONSUME_NEXT;
	}
	if (rec->dtrd_action == DTRACEACT_EXIT) {
		memcpy(&status, data->dtpda_data + rec->dtrd_offset, sizeof(status));
		t->status = status;
		t->exited = true;
		return t->structured ? DTRACE_CONSUME_THIS : DTRACE_CONSUME_NEXT;
	}
	return DTRACE_CONSUME_THIS;
}

/* ---- the session ---- */

/* Let the created and stopped processes run. */
static void procs_continue(struct trace *t)
{
	for (int i = 0; i < t->nprocs; i++)
		dtrace_proc_continue(t->dtp, t->procs[i]);
}

/* Say what may surprise the user of a description. */
static int desc_remark(dtrace_hdl_t *dtp, const dtrace_probedesc_t *desc, void *arg)
{
	char text[1024];

	(void)arg;
	if (dtrace_desc_remark(dtp, desc, text, sizeof(text)))
		notice("%s", text);
	return 0;
}

/* Enable a program. Return the number of probes that match it. */
static uint32_t program_enable(struct trace *t, struct cmd_program *p)
{
	const char *what = p->option == 's' ? "script" : "description";
	dtrace_proginfo_t info;

	if (dtrace_program_exec(t->dtp, p->prog, &info) != 0)
		dfatal(t->dtp, "failed to enable '%s'", p->text);
	if (!t->quiet)
		notice("%s '%s' matched %u probe%s", what, p->text, info.dpi_matches,
		       info.dpi_matches == 1 ? "" : "s");
	dtrace_program_descs(t->dtp, p->prog, desc_remark, NULL);
	return info.dpi_matches;
}

/*
 * Handle an error of writing output. A reader that has gone ends tracing as a signal does, so that
 * END fires; other errors end the command.
 */
static void output_check(struct trace *t, int error)
{
	if (!output_is_lost(error))
		output_fail(error);
	output_forget(t->out);
	t->lost = true;
}

/* Return whether tracing must end: by a signal, a lost reader, or the end of all processes. */
static bool must_end(const struct trace *t)
{
	return interrupted || t->lost || notice_is_lost() || (t->nprocs > 0 && t->nlive <= 0);
}

static void trace_loop(struct trace *t)
{
	dtrace_workstatus_t status;
	bool done = false;

	while (!done) {
		if (!interrupted && !t->lost && !notice_is_lost())
			dtrace_sleep(t->dtp);
		if (newline) {
			if (!t->structured)
				fputc('\n', t->out);
			newline = 0;
		}
		if (must_end(t)) {
			done = true;
			if (dtrace_stop(t->dtp) != 0)
				dfatal(t->dtp, "couldn't stop tracing");
		}
		status = dtrace_work(t->dtp, t->fp, before_record, before_action, t);
		fault_repeats();
		switch (status) {
		case DTRACE_WORKSTATUS_DONE:
			done = true;
			break;
		case DTRACE_WORKSTATUS_OKAY:
			break;
		default:
			if (ferror(t->out))
				output_check(t, t->error ?: dtrace_errno(t->dtp));
			else if (dtrace_errno(t->dtp) != EINTR)
				dfatal(t->dtp, "processing aborted");
			done = false; /* repeat: a signal interrupted it, or output is lost */
		}
	}
}

static void proc_add(struct trace *t, struct ps_prochandle *proc)
{
	if (!proc)
		fatal("%s", dtrace_errmsg(t->dtp, dtrace_errno(t->dtp)));
	t->procs[t->nprocs++] = proc;
	t->nlive++;
}

#define BLANKS " \t\r\n\v\f"

/* Return the quote that closes the one at p, or NULL. */
static char *quote_end(char *p)
{
	char quote = *p;

	for (p++; *p != '\0' && *p != quote; p++)
		if (quote == '"' && *p == '\\' && (p[1] == '"' || p[1] == '\\'))
			p++;
	return *p == quote ? p : NULL;
}

/*
 * Split the text of -c into words at white space, in place; quoted text is not split. 'x' and "x"
 * stand for x. Between double quotes, a backslash quotes a following double quote or backslash.
 * Elsewhere a backslash stands for itself, as does a quote that is not closed.
 *
 * Return an array that ends with NULL, allocated with malloc, whose strings are in text; NULL if
 * there is no word.
 */
static char **command_split(char *text)
{
	char **words = NULL, *p = text + strspn(text, BLANKS), *out, *end;
	int n = 0;

	while (*p != '\0') {
		bool last;

		words_add(&words, &n, p);
		for (out = p; *p != '\0' && !strchr(BLANKS, *p); p++) {
			end = *p == '\'' || *p == '"' ? quote_end(p) : NULL;
			if (!end) {
				*out++ = *p;
				continue;
			}
			for (bool escapes = *p++ == '"'; p < end; p++) {
				if (escapes && *p == '\\' && (p[1] == '"' || p[1] == '\\'))
					p++;
				*out++ = *p;
			}
		}
		last = *p == '\0'; /* *out may be the same */
		*out = '\0';
		p += !last;
		p += strspn(p, BLANKS);
	}
	return words;
}

static void proc_create(struct trace *t, char *command)
{
	char **words = command_split(command);

	if (!words)
		fatal("-c needs a command: -c 'PROGRAM ARGUMENT...'");
	proc_add(t, dtrace_proc_create(t->dtp, words[0], words));
	free(words);
}

static void proc_grab(struct trace *t, const char *number)
{
	char *end;
	long pid = strtol(number, &end, 10);

	if (*end != '\0' || end == number || pid <= 0 || pid > INT32_MAX)
		fatal("not a process number: -p %s (pgrep tells that of a program)", number);
	proc_add(t, dtrace_proc_grab(t->dtp, pid));
}

/* Expect all programs of -W before waiting for any: they may start in any order, or at once. */
static void procs_await(struct trace *t, const struct cmd *cmd)
{
	for (int i = 0; i < cmd->nnames; i++) {
		if (dtrace_proc_expect(t->dtp, cmd->names[i]) != 0)
			fatal("%s", dtrace_errmsg(t->dtp, dtrace_errno(t->dtp)));
		if (!option_on(t->dtp, "quiet"))
			notice("waiting for %s to be started", cmd->names[i]);
	}
	if (cmd->nnames && (cmd->user || cmd->lacks) && !option_on(t->dtp, "quiet"))
		notice("programs of 32 bits, and those without a start-up object (drti.o), are not stopped");
	for (int i = 0; i < cmd->nnames; i++)
		proc_add(t, dtrace_proc_await(t->dtp));
}

static void procs_start(struct trace *t, const struct cmd *cmd)
{
	t->procs = calloc(cmd->ncommands + cmd->npids + cmd->nnames + 1, sizeof(*t->procs));
	if (!t->procs)
		fatal("out of memory");
	for (int i = 0; i < cmd->ncommands; i++)
		proc_create(t, cmd->commands[i]);
	for (int i = 0; i < cmd->npids; i++)
		proc_grab(t, cmd->pids[i]);
	procs_await(t, cmd);
}

/*
 * Read a probe number, or a range of them as in 1-3, at *p, and move *p behind it. Return whether
 * there is one.
 */
static bool ids_read(const char **p, unsigned long long *first, unsigned long long *last)
{
	char *end;

	if (!isdigit((unsigned char)**p))
		return false;
	*first = *last = strtoull(*p, &end, 10);
	if (*end == '-') {
		if (!isdigit((unsigned char)end[1]))
			return false;
		*last = strtoull(end + 1, &end, 10);
	}
	*p = end;
	return true;
}

/*
 * Return the program of -i with each range of its probe numbers as a list: "1,2,3 {...}" for
 * "1-3 {...}". The caller frees it. Exit with a message if the text begins with anything else.
 */
static char *ids_expand(const char *text)
{
	unsigned long long first, last, n = 0;
	const char *p = text;
	size_t size;
	char *list;
	FILE *fp = open_memstream(&list, &size);

	if (!fp)
		fatal("out of memory");
	do {
		if (!ids_read(&p, &first, &last) || !strchr(" \t/{,", *p))
			fatal("not a probe number: %s: dtrace -l shows them, -n takes names", text);
		if (first > last)
			fatal("not a range of probe numbers: %s", text);
		n += last - first;
		if (last - first >= IDS_MOST || ++n > IDS_MOST)
			fatal("more than %d probe numbers: %s: -n takes patterns", IDS_MOST, text);
		for (; first < last; first++)
			fprintf(fp, "%llu,", first);
		fprintf(fp, "%llu", last);
	} while (*p == ',' && fputc(*p++, fp) != EOF);
	fputs(p, fp);
	if (fclose(fp) != 0)
		fatal("out of memory");
	return list;
}

static void program_compile(struct trace *t, const struct cmd *cmd, struct cmd_program *p)
{
	uint32_t cflags = cmd->cflags | (cmd->mode == MODE_LIST ? DTRACE_C_ZDEFS : 0);
	char **argv = cmd->operands;
	FILE *fp;

	if (p->option != 's') {
		char *ids = p->option == 'i' ? ids_expand(p->text) : NULL;

		cflags |= DTRACE_C_PSPEC;
		p->prog = dtrace_program_strcompile(t->dtp, ids ? ids : p->text, p->spec, cflags,
						    cmd->noperands, argv);
		free(ids);
		if (!p->prog)
			dfatal(t->dtp, "invalid probe specifier %s", p->text);
		p->text[strcspn(p->text, "{/;")] = '\0'; /* the description, for messages */
		return;
	}
	fp = strcmp(p->text, "-") == 0 ? stdin : fopen(p->text, "r");
	if (!fp)
		fatal("failed to open %s: %s", p->text, strerror(errno));
	argv[0] = p->text;
	p->prog = dtrace_program_fcompile(t->dtp, fp, cflags | DTRACE_C_CTL, cmd->noperands, argv);
	if (!p->prog)
		dfatal(t->dtp, "failed to compile script %s", p->text);
	if (fp != stdin)
		fclose(fp);
}

/* Print all aggregations. Structured output has them only if printa() or -O asks for them. */
static void aggregations_print(struct trace *t, const struct cmd *cmd)
{
	if (t->structured && !cmd->aggregations)
		return;
	if (!t->structured)
		fputc('\n', t->out);
	if (dtrace_aggregate_print(t->dtp, t->fp, NULL) != 0 && !ferror(t->out) &&
	    dtrace_errno(t->dtp) != EINTR)
		dfatal(t->dtp, "failed to print aggregations");
}

/* Enable all programs. Fail if no probe matches and none may match later. */
static void programs_enable(struct trace *t, struct cmd *cmd)
{
	uint32_t matches = 0;

	for (int i = 0; i < cmd->nprograms; i++) {
		progress_begin("enabling probes");
		matches += program_enable(t, &cmd->programs[i]);
		if (cmd->verbose)
			list_stability(t->dtp, t->out, &cmd->programs[i]);
	}
	if (matches == 0 && !(cmd->cflags & DTRACE_C_ZDEFS) && !option_on(t->dtp, "zdefs"))
		fatal("no probes matched: the program%s no clause",
		      cmd->nprograms == 1 ? " has" : "s have");
}

/* Say that this is the user world, if the user has not chosen it and may be surprised. */
static void world_tell(const struct trace *t, const struct cmd *cmd)
{
	if (cmd->lacks && !t->quiet)
		notice("%s: tracing your own processes only (-x world=user)", cmd->lacks);
}

/* Trace: from enabling to the last aggregation. */
static void session_run(struct trace *t, struct cmd *cmd)
{
	t->out = output_open(cmd->output);
	t->fp = cmd->buffered ? NULL : t->out;
	t->flow = option_on(t->dtp, "flowindent");
	t->testing = getenv("_DTRACE_TESTING");
	t->structured = dtrace_oformat(t->dtp);
	if (dtrace_oformat_setup(t->dtp, t->fp) != 0)
		dfatal(t->dtp, "failed to set up");
	signals_set();
	world_tell(t, cmd);
	programs_enable(t, cmd);
	progress_begin("making buffers");
	settings_remember(t->dtp);
	if (dtrace_go(t->dtp) != 0)
		dfatal(t->dtp, "could not enable tracing");
	progress_end();
	if (!t->quiet && !option_on(t->dtp, "quietresize"))
		settings_report(t->dtp);
	procs_continue(t);
	trace_loop(t);
	aggregations_print(t, cmd);
	if (dtrace_oformat_teardown(t->dtp) != 0 && !output_is_lost(dtrace_errno(t->dtp)))
		output_fail(dtrace_errno(t->dtp));
	t->status = output_close(t->out, t->status);
}

/* Print the stability of programs that are only compiled. */
static void programs_describe(struct trace *t, const struct cmd *cmd)
{
	t->out = output_open(cmd->output);
	for (int i = 0; i < cmd->nprograms && cmd->verbose; i++)
		list_stability(t->dtp, t->out, &cmd->programs[i]);
	t->status = output_close(t->out, CMD_OK);
}

int trace_run(dtrace_hdl_t *dtp, struct cmd *cmd)
{
	struct trace t = {.dtp = dtp};

	handlers_set(&t, cmd->buffered);
	procs_start(&t, cmd);
	for (int i = 0; i < cmd->nprograms; i++) {
		progress_begin("compiling, with the types and symbols of the kernel");
		program_compile(&t, cmd, &cmd->programs[i]);
		progress_end();
	}
	t.quiet = option_on(dtp, "quiet");
	if (cmd->mode == MODE_LIST) {
		world_tell(&t, cmd);
		t.status = list_probes(dtp, cmd);
	} else if (cmd->mode == MODE_EXEC)
		session_run(&t, cmd);
	else
		programs_describe(&t, cmd);
	free(t.procs);
	return t.status;
}
