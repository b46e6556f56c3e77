/* SPDX-License-Identifier: MIT */
/*
 * fuzz_object.c - any bytes as an object, archive or bitcode that dtrace -G reads and rewrites.
 *
 * First the sites of the input are listed. An object that is accepted and rewritten must be
 * accepted again, and must have nothing left to rewrite.
 */
#include <dtrace/types.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "link.h"
#include "object.h"
#include "rewrite.h"
#include "site_list.h"
#include "sites.h"

static const char declarations[] = "provider p { probe a(int, char *, double, long, int, int, int, "
				   "int, struct s); probe b(); };";

static FILE *nowhere;

/* Check that the rewritten object in the file can be read. Return the number of its call sites. */
static size_t called_sites(int fd, struct provider_file *decls)
{
	struct diag diag = {.out = nowhere};
	off_t size = lseek(fd, 0, SEEK_END);
	uint8_t *image = malloc((size_t)size + 1);
	struct object object;
	struct sites sites;
	size_t count;
	Elf *elf;

	if (!image || pread(fd, image, (size_t)size, 0) != size)
		abort();
	elf = elf_memory((char *)image, (size_t)size);
	if (!elf || object_open(&object, &diag, "again", elf, image, (size_t)size))
		abort();
	if (sites_find(&object, decls, true, &sites))
		abort();
	count = sites.nsites;
	sites_free(&sites);
	object_close(&object);
	elf_end(elf);
	free(image);
	return count;
}

static void rewrite(struct object *object, struct provider_file *decls, const struct sites *sites)
{
	int fd;

	if (rewrite_object(object, decls, sites))
		return;
	fd = memfd_create("object", MFD_CLOEXEC);
	if (fd < 0)
		abort();
	if (!object_write(object, fd, "out") && called_sites(fd, decls))
		abort();
	close(fd);
}

static int visit(void *context, const struct input *input)
{
	struct diag diag = {.out = nowhere};
	struct provider_file *decls = context;
	struct object object;
	struct sites sites;
	size_t count;

	if (!input->elf)
		return link_visit(&(struct link){.diag = &diag}, input);
	if (!object_open(&object, &diag, input->name, input->elf, input->image, input->size) &&
	    !sites_check_records(&object, decls, true, &count)) {
		if (!sites_find(&object, decls, true, &sites) && sites.nsites)
			rewrite(&object, decls, &sites);
		sites_free(&sites);
	}
	object_close(&object);
	return 0;
}

static int visit_site(const dtrace_usdt_site_t *site)
{
	return !site->provider || !site->name || !site->func || !site->operands ||
	       strlen(site->operands) > (1 << 20);
}

static void list_sites(struct diag *diag, uint8_t *image, size_t size)
{
	struct site_list list = {.diag = diag};
	struct stat st = {0};
	size_t i;

	input_read_memory(diag, "fuzz.o", &st, image, size, site_list_visit, &list);
	site_list_set_types(&list);
	for (i = 0; i < list.nsites; i++)
		if (visit_site(&list.sites[i]))
			abort();
	site_list_free(&list);
}

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	nowhere = fopen("/dev/null", "w");
	return nowhere ? 0 : -1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct diag diag = {.out = nowhere};
	struct provider_file decls = {0};
	struct stat st = {0};
	uint8_t *image = malloc(size + 1);

	if (!image || provider_file_parse(&decls, &diag, "p.d", declarations, strlen(declarations)))
		abort();
	memcpy(image, data, size);
	/* A thin archive names other files, which a fuzzer must not read. */
	if (size < 8 || memcmp(data, "!<thin>\n", 8)) {
		list_sites(&diag, image, size);
		input_read_memory(&diag, "fuzz.o", &st, image, size, visit, &decls);
	}
	free(image);
	provider_file_free(&decls);
	return 0;
}
