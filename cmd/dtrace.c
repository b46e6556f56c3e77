// SPDX-License-Identifier: MIT
/* dtrace.c - the dtrace command: selects the mode, and has libdtrace carry it out. */
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"

static int option_show(const char *name, const char *text, void *arg)
{
	fprintf(arg, "%-16s %s\n", name, text);
	return 0;
}

/*
 * Open the library. Compiling works without the device, if nothing in the program needs details of
 * probes. Tracing works without the device in the user's world, unless the kernel's has been
 * chosen.
 */
static dtrace_hdl_t *handle_open(struct cmd *cmd)
{
	const char *world = settings_world(cmd);
	const int flag = world ? dtrace_world_flag(world) : 0;
	int error, flags = flag == -1 ? DTRACE_O_NODEV : flag;
	dtrace_hdl_t *dtp = dtrace_open(DTRACE_VERSION, flags, &error);

	cmd->user = flag == DTRACE_O_USER;
	if (!dtp && (error == EDT_NODEV || error == EDT_ACCESS)) {
		if (cmd->mode == MODE_COMPILE || cmd->mode == MODE_VERSION || cmd->option_help)
			dtp = dtrace_open(DTRACE_VERSION, flags | DTRACE_O_NODEV, &error);
		else if (!world) {
			cmd->lacks = error == EDT_NODEV ? "no kernel module is loaded"
							: "you have no right to the kernel module";
			dtp = dtrace_open(DTRACE_VERSION, DTRACE_O_USER, &error);
		}
	}
	if (dtp && flag == -1 && dtrace_setopt(dtp, "world", world) != 0)
		dfatal(dtp, "failed to choose a world");
	if (!dtp)
		fatal("failed to initialize dtrace: %s", dtrace_errmsg(NULL, error));
	return dtp;
}

/*
 * Handle SIGPIPE, so that writing to a closed pipe fails with EPIPE. An ignored signal would be
 * inherited by commands of -c; a handled one is not.
 */
static void on_pipe(int sig)
{
	(void)sig;
}

/*
 * Open /dev/null for each closed standard stream, so that no file gets its number. The direction is
 * wrong on purpose: using the stream remains an error.
 */
static void streams_open(void)
{
	for (int fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) == -1 &&
		    open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
			_exit(CMD_ERROR);
}

/* Carry out dtrace -G with --list, --check or --fire. Return the exit status. */
static int look_run(struct cmd *cmd)
{
	switch (cmd->look) {
	case LOOK_CHECK:
		return check_sites(cmd);
	case LOOK_FIRE:
		return check_fire(cmd);
	default:
		return sites_list(cmd);
	}
}

/* Carry out a mode that needs no session. Return false if the mode needs one. */
static bool plain_run(struct cmd *cmd, int *status)
{
	*status = CMD_OK;
	if (cmd->mode == MODE_LINK && cmd->look != LOOK_NONE)
		*status = look_run(cmd);
	else if (cmd->mode == MODE_HEADER || cmd->mode == MODE_LINK)
		*status = usdt_make(cmd);
	else if (cmd->mode == MODE_LIST && cmd->nprograms == 0 &&
		 (cmd->npids > 0 || cmd->noperands > 1))
		*status = sites_probes(cmd);
	else if (cmd->mode == MODE_VERSION)
		printf("dtrace: Sun D %s\nDTrace for Linux %s\n", dtrace_language_version(),
		       dtrace_version());
	else
		return false;
	return true;
}

int main(int argc, char *argv[])
{
	static struct cmd cmd = {.mode = MODE_EXEC};
	dtrace_hdl_t *dtp;
	int status;

	streams_open();
	message_init();
	signal(SIGPIPE, on_pipe);
	options_parse(&cmd, argc, argv);
	if (plain_run(&cmd, &status))
		return output_close(stdout, status);
	if (cmd.option_help) {
		dtrace_option_iter(option_show, stdout);
		return output_close(stdout, CMD_OK);
	}
	if (cmd.model == 32)
		fatal("-32 is for -h and -G: D programs have the types of the 64-bit kernel");
	dtp = handle_open(&cmd);
	message_set_handle(dtp);
	settings_apply(dtp, &cmd);
	if (cmd.mode == MODE_EXEC && cmd.nprograms == 0)
		fatal("no probes specified: give a program with -n or -s");
	status = trace_run(dtp, &cmd);
	dtrace_close(dtp);
	return status;
}
