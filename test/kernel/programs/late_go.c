/* SPDX-License-Identifier: MIT */
/*
 * late_go.c - a session that waits between enabling its program and tracing.
 *
 *	late-go PROGRAM FIFO FILE
 *
 * It writes a line into FIFO when the program is enabled, begins to trace when there is FILE, and
 * prints what the program says until it calls exit().
 */
#include <libdtrace.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int fail(dtrace_hdl_t *dtp)
{
	printf("%s\n", dtrace_errmsg(dtp, dtrace_errno(dtp)));
	return 1;
}

static int probe(const dtrace_probedata_t *data, void *arg)
{
	(void)data, (void)arg;
	return DTRACE_CONSUME_THIS;
}

static int record(const dtrace_probedata_t *data, const dtrace_recdesc_t *rec, void *arg)
{
	(void)data, (void)arg;
	return rec ? DTRACE_CONSUME_THIS : DTRACE_CONSUME_NEXT;
}

int main(int argc, char **argv)
{
	const char *world = getenv("DTRACE_OPT_WORLD");
	dtrace_prog_t *program;
	dtrace_workstatus_t status;
	dtrace_hdl_t *dtp;
	FILE *fifo;
	int error;

	if (argc != 4)
		return 2;
	dtp = dtrace_open(DTRACE_VERSION, world ? dtrace_world_flag(world) : 0, &error);
	if (!dtp)
		return 1;
	dtrace_setopt(dtp, "switchrate", "20ms");
	program = dtrace_program_strcompile(dtp, argv[1], DTRACE_PROBESPEC_NAME, DTRACE_C_ZDEFS, 0,
					    NULL);
	if (!program || dtrace_program_exec(dtp, program, NULL))
		return fail(dtp);
	fifo = fopen(argv[2], "w");
	fputs("enabled\n", fifo);
	fclose(fifo);
	while (access(argv[3], F_OK))
		usleep(1000);
	if (dtrace_go(dtp))
		return fail(dtp);
	do {
		dtrace_sleep(dtp);
		status = dtrace_work(dtp, stdout, probe, record, NULL);
	} while (status == DTRACE_WORKSTATUS_OKAY);
	dtrace_close(dtp);
	return status == DTRACE_WORKSTATUS_ERROR;
}
