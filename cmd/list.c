// SPDX-License-Identifier: MIT
/* list.c - dtrace -l and -v: list probes with their stability and the types of their arguments. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"

struct list {
	FILE *fp;
	bool verbose;
	bool structured; /* the library writes records */
	int found;
	dtrace_attribute_t attr, arga; /* of the last probe */
	char *attributes;	       /* their text, or NULL */
};

static void print_attributes(FILE *fp, dtrace_attribute_t a)
{
	fprintf(fp,
		"\t\tIdentifier Names: %s\n"
		"\t\tData Semantics:   %s\n"
		"\t\tDependency Class: %s\n",
		dtrace_stability_name(a.dtat_name), dtrace_stability_name(a.dtat_data),
		dtrace_class_name(a.dtat_class));
}

static bool attributes_equal(dtrace_attribute_t a, dtrace_attribute_t b)
{
	return a.dtat_name == b.dtat_name && a.dtat_data == b.dtat_data &&
	       a.dtat_class == b.dtat_class;
}

/*
 * Return the text before the types of a probe's arguments: its attributes, which are mostly those
 * of the last one.
 */
static const char *list_attributes(struct list *ls, const dtrace_probeinfo_t *info)
{
	size_t len;
	FILE *fp;

	if (ls->attributes && attributes_equal(ls->attr, info->dtp_attr) &&
	    attributes_equal(ls->arga, info->dtp_arga))
		return ls->attributes;
	free(ls->attributes);
	ls->attributes = NULL;
	ls->attr = info->dtp_attr;
	ls->arga = info->dtp_arga;
	fp = open_memstream(&ls->attributes, &len);
	if (!fp)
		fatal("failed to list probes: %s", strerror(errno));
	fputs("\n\tProbe Description Attributes\n", fp);
	print_attributes(fp, info->dtp_attr);
	fputs("\n\tArgument Attributes\n", fp);
	print_attributes(fp, info->dtp_arga);
	fputs("\n\tArgument Types\n", fp);
	if (fclose(fp) != 0)
		fatal("failed to list probes: %s", strerror(errno));
	return ls->attributes;
}

static void print_argument(FILE *fp, uint32_t i, const char *type)
{
	char line[DTRACE_ARGTYPELEN + sizeof("\t\targs[nn]: \n")], *end = stpcpy(line, "\t\targs[");

	if (i >= 10)
		*end++ = (char)('0' + i / 10);
	*end++ = (char)('0' + i % 10);
	end = stpcpy(stpcpy(stpcpy(end, "]: "), type), "\n");
	fwrite(line, 1, end - line, fp);
}

static void print_details(dtrace_hdl_t *dtp, struct list *ls, const dtrace_probedesc_t *pd)
{
	dtrace_probeinfo_t info;
	FILE *fp = ls->fp;

	if (dtrace_probe_info(dtp, pd, &info) != 0) {
		notice("no details of probe %u: %s", pd->dtpd_id,
		       dtrace_errmsg(dtp, dtrace_errno(dtp)));
		return;
	}
	fputs(list_attributes(ls, &info), fp);
	for (uint32_t i = 0; i < info.dtp_argc; i++) {
		const dtrace_argdesc_t *a = &info.dtp_argv[i];

		if (a->dtargd_native[0] == '\0')
			fprintf(fp,
				i < DTRACE_MAXARGS ? "\t\targ%u: type not known\n"
						   : "\t\targs[%u]: type not known\n",
				i);
		else
			print_argument(fp, i,
				       *a->dtargd_xlate ? a->dtargd_xlate : a->dtargd_native);
	}
	if (info.dtp_argc == 0)
		fputs("\t\tNone\n", fp);
	fputc('\n', fp);
}

/*
 * Write a text at the right of a column of that width, and a space before it, to end. Return the
 * new end.
 */
static char *put_column(char *end, const char *text, size_t width)
{
	size_t len = strlen(text), space = len < width ? width - len + 1 : 1;

	memset(end, ' ', space);
	memcpy(end + space, text, len);
	return end + space + len;
}

/*
 * Print a line of the list. A list may have a hundred thousand lines, and many more with details,
 * most of whose time fprintf() would take.
 */
static void print_probe(FILE *fp, const dtrace_probedesc_t *pd)
{
	char line[sizeof(*pd) + 96], *end = line + sprintf(line, "%5u", pd->dtpd_id);

	end = put_column(end, pd->dtpd_provider, 10);
	end = put_column(end, pd->dtpd_mod, 17);
	end = put_column(end, pd->dtpd_func, 33);
	end = put_column(end, pd->dtpd_name, 0);
	*end++ = '\n';
	fwrite(line, 1, end - line, fp);
}

static int list_record(dtrace_hdl_t *dtp, const dtrace_probedesc_t *pd, bool verbose)
{
	dtrace_probeinfo_t info;

	if (verbose && dtrace_probe_info(dtp, pd, &info) != 0)
		return -1;
	return dtrace_oformat_probe(dtp, pd, verbose ? &info : NULL);
}

static int list_probe(dtrace_hdl_t *dtp, const dtrace_probedesc_t *pd, void *arg)
{
	struct list *ls = arg;

	ls->found++;
	if (ls->structured)
		return list_record(dtp, pd, ls->verbose);
	print_probe(ls->fp, pd);
	if (ls->verbose)
		print_details(dtp, ls, pd);
	return ferror(ls->fp);
}

static int list_desc(dtrace_hdl_t *dtp, const dtrace_probedesc_t *pd, void *arg)
{
	struct list *ls = arg;
	char text[DTRACE_FULLNAMELEN], hint[1024];
	int before = ls->found, rv;

	if (pd->dtpd_id != DTRACE_IDNONE) {
		dtrace_probedesc_t found;

		rv = dtrace_id2desc(dtp, pd->dtpd_id, &found) == 0 ? list_probe(dtp, &found, ls)
								   : 0;
	} else {
		rv = dtrace_probe_iter(dtp, pd, list_probe, ls);
	}
	if (rv == -1)
		dfatal(dtp, "failed to list probes");
	if (ls->found == before)
		notice("failed to match %s: No probe matches description: %s",
		       dtrace_desc2str(pd, text, sizeof(text)),
		       dtrace_desc_hint(dtp, pd, hint, sizeof(hint)));
	return rv;
}

int list_probes(dtrace_hdl_t *dtp, const struct cmd *cmd)
{
	static char buffer[1 << 16];
	struct list ls = {.verbose = cmd->verbose};

	ls.fp = output_open(cmd->output);
	if (!isatty(fileno(ls.fp)))
		setvbuf(ls.fp, buffer, _IOFBF, sizeof(buffer));
	ls.structured = dtrace_oformat(dtp);
	if (dtrace_oformat_setup(dtp, ls.fp) != 0)
		dfatal(dtp, "failed to set up");
	if (!ls.structured)
		fprintf(ls.fp, "%5s %10s %17s %33s %s\n", "ID", "PROVIDER", "MODULE", "FUNCTION",
			"NAME");
	for (int i = 0; i < cmd->nprograms; i++)
		dtrace_program_descs(dtp, cmd->programs[i].prog, list_desc, &ls);
	if (cmd->nprograms == 0 && dtrace_probe_iter(dtp, NULL, list_probe, &ls) == -1)
		dfatal(dtp, "failed to list probes");
	if (dtrace_oformat_teardown(dtp) != 0 && !output_is_lost(dtrace_errno(dtp)))
		output_fail(dtrace_errno(dtp));
	free(ls.attributes);
	return output_close(ls.fp, ls.found > 0 || cmd->nprograms == 0 ? CMD_OK : CMD_ERROR);
}

void list_stability(dtrace_hdl_t *dtp, FILE *fp, const struct cmd_program *p)
{
	dtrace_proginfo_t info;

	dtrace_program_info(dtp, p->prog, &info);
	fprintf(fp, "\nStability attributes for %s %s:\n",
		p->option == 's' ? "script" : "description", p->text);
	fputs("\n\tMinimum Probe Description Attributes\n", fp);
	print_attributes(fp, info.dpi_descattr);
	fputs("\n\tMinimum Statement Attributes\n", fp);
	print_attributes(fp, info.dpi_stmtattr);
	fputc('\n', fp);
}
