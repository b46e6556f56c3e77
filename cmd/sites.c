// SPDX-License-Identifier: MIT
/* sites.c - dtrace -G --list, and dtrace -l of files and of processes without registrations. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"

/* ---- which files have sites ---- */

struct sites {
	char **files;
	bool *seen; /* which of them have a site */
	int nfiles;
};

static void sites_begin(struct sites *sites, const struct cmd *cmd)
{
	sites->files = cmd->operands + 1;
	sites->nfiles = cmd->noperands - 1;
	sites->seen = calloc(sites->nfiles + 1, sizeof(*sites->seen));
	if (!sites->seen)
		fatal("out of memory");
}

/* Mark the file that a site is in; file may be "archive(member)". */
static void sites_see(struct sites *sites, const char *file)
{
	for (int i = 0; i < sites->nfiles; i++) {
		size_t len = strlen(sites->files[i]);

		if (strncmp(file, sites->files[i], len) == 0 &&
		    (file[len] == '\0' || file[len] == '('))
			sites->seen[i] = true;
	}
}

/* Report files without a site, if all could be read. Return the exit status. */
static int sites_end(struct sites *sites, int status)
{
	for (int i = 0; i < sites->nfiles && status == 0; i++)
		if (!sites->seen[i]) {
			notice("%s has no probe site", sites->files[i]);
			status = -1;
		}
	free(sites->seen);
	return status == 0 || ferror(stdout) ? CMD_OK : CMD_ERROR; /* output_close() sees errors */
}

/* ---- dtrace -G --list: a line for each site ---- */

/* Print the arguments of a site, each with its declared type if there is one. */
static void print_arguments(const dtrace_usdt_site_t *site)
{
	const char *at = site->operands;

	putchar('(');
	for (unsigned int i = 0; *at != '\0'; i++) {
		int len = (int)dtrace_usdt_operand(at);

		printf("%s%s%s%.*s", i > 0 ? ", " : "", i < site->nnatives ? site->natives[i] : "",
		       i < site->nnatives ? " " : "", len, at);
		at += len + strspn(at + len, " ");
	}
	putchar(')');
}

static int print_site(const dtrace_usdt_site_t *site, void *arg)
{
	static const char *const forms[] = {"recorded", "noted", "call"};

	sites_see(arg, site->file);
	printf("%s:%s:%s:%s 0x%llx %s%s%s ", site->provider, basename(site->file), site->func,
	       site->name, (unsigned long long)site->address, forms[site->form],
	       site->isenabled ? " is-enabled" : "", site->semaphore ? " semaphore" : "");
	if (site->form != DTRACE_SITE_CALL && !site->isenabled)
		print_arguments(site);
	putchar('\n');
	return ferror(stdout);
}

int sites_list(const struct cmd *cmd)
{
	struct dtrace_usdt_args args = {
		.objects = cmd->operands + 1, .nobjects = cmd->noperands - 1, .diag = stderr};
	struct sites sites;

	if (args.nobjects == 0)
		fatal("--list needs objects, archives, libraries or programs");
	sites_begin(&sites, cmd);
	return sites_end(&sites, dtrace_usdt_list(&args, print_site, &sites));
}

/* ---- dtrace -l: a line for each probe ---- */

struct probes {
	const struct cmd *cmd;
	struct sites files;
	char suffix[16]; /* process number */
	char **printed;
	int nprinted;
};

/* Return whether the line is new: only the first site of a probe in each function is listed. */
static bool probe_is_new(struct probes *probes, const char *line)
{
	char *copy;

	for (int i = 0; i < probes->nprinted; i++)
		if (strcmp(probes->printed[i], line) == 0)
			return false;
	copy = strdup(line);
	if (!copy)
		fatal("out of memory");
	words_add(&probes->printed, &probes->nprinted, copy);
	return true;
}

static void print_types(const dtrace_usdt_site_t *site)
{
	fputs("\n\tArgument Types\n", stdout);
	for (unsigned int i = 0; i < site->ntypes; i++)
		printf("\t\targs[%u]: %s\n", i, site->types[i]);
	if (site->ntypes == 0)
		fputs("\t\tNone\n", stdout);
	putchar('\n');
}

static int print_probe(const dtrace_usdt_site_t *site, void *arg)
{
	struct probes *probes = arg;
	char provider[DTRACE_PROVNAMELEN + 16], line[1024];

	if (site->isenabled)
		return 0;
	sites_see(&probes->files, site->file);
	snprintf(provider, sizeof(provider), "%s%s", site->provider, probes->suffix);
	snprintf(line, sizeof(line), "%5s %10s %17s %33s %s", "-", provider, basename(site->file),
		 site->func, site->name);
	if (!probe_is_new(probes, line))
		return 0;
	puts(line);
	if (probes->cmd->verbose)
		print_types(site);
	return ferror(stdout);
}

static void probes_head(void)
{
	printf("%5s %10s %17s %33s %s\n", "ID", "PROVIDER", "MODULE", "FUNCTION", "NAME");
}

static void probes_free(struct probes *probes)
{
	for (int i = 0; i < probes->nprinted; i++)
		free(probes->printed[i]);
	free(probes->printed);
	probes->printed = NULL;
	probes->nprinted = 0;
}

/* Suggest -P for operands that name no file: the user may have meant a provider. */
static void files_remark(const struct cmd *cmd)
{
	for (int i = 1; i < cmd->noperands; i++)
		if (!strchr(cmd->operands[i], '/') && access(cmd->operands[i], F_OK) != 0)
			notice("probes of the running system are listed by description: "
			       "dtrace -l -P %s",
			       cmd->operands[i]);
}

static int probes_of_files(struct probes *probes)
{
	struct dtrace_usdt_args args = {.objects = probes->cmd->operands + 1,
					.nobjects = probes->cmd->noperands - 1,
					.diag = stderr};
	int status;

	probes_head();
	sites_begin(&probes->files, probes->cmd);
	status = dtrace_usdt_list(&args, print_probe, probes);
	if (status > 0)
		files_remark(probes->cmd);
	probes_free(probes);
	return sites_end(&probes->files, status);
}

static int probes_of_process(struct probes *probes, pid_t pid)
{
	int status;

	probes_head();
	status = dtrace_usdt_list_proc(pid, stderr, print_probe, probes);
	if (status == 0 && probes->nprinted == 0) {
		notice("process %d has no probe site in its files", (int)pid);
		status = -1;
	}
	probes_free(probes);
	return status == 0 || ferror(stdout) ? CMD_OK : CMD_ERROR; /* output_close() sees errors */
}

int sites_probes(const struct cmd *cmd)
{
	struct probes probes = {.cmd = cmd};
	int status = CMD_OK;

	if (cmd->npids == 0)
		return probes_of_files(&probes);
	for (int i = 0; i < cmd->npids && status == CMD_OK; i++) {
		char *end;
		long pid = strtol(cmd->pids[i], &end, 10);

		if (*end != '\0' || end == cmd->pids[i] || pid <= 0 || pid > INT32_MAX)
			fatal("not a process number: -p %s (pgrep tells that of a program)",
			      cmd->pids[i]);
		snprintf(probes.suffix, sizeof(probes.suffix), "%ld", pid);
		status = probes_of_process(&probes, (pid_t)pid);
	}
	return status;
}
