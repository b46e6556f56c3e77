/* SPDX-License-Identifier: MIT */
/* fuzz_provider.c - any text as a provider file, of which the header of dtrace -h and the
 * declarations of dtrace -G are made. */
#include <stdlib.h>
#include <string.h>
#include "dof_decl.h"
#include "header.h"

static FILE *nowhere;

/* Check that the file has the size in its header, and that sections lie inside the file. */
static void check_dof(const struct bytes *dof)
{
	const dof_hdr_t *header = (const void *)dof->data;
	const dof_sec_t *section;

	if (!dof->len)
		return;
	if (header->dofh_filesz != dof->len)
		abort();
	section = (const void *)(dof->data + header->dofh_secoff);
	for (uint32_t i = 0; i < header->dofh_secnum; i++)
		if (section[i].dofs_offset > dof->len ||
		    section[i].dofs_size > dof->len - section[i].dofs_offset)
			abort();
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
	struct provider_file file = {0};
	struct bytes text = {0}, dof = {0};
	char *copy = malloc(size + 1);

	if (!copy)
		abort();
	memcpy(copy, data, size);
	if (!provider_file_parse(&file, &diag, "fuzz.d", copy, size)) {
		header_text(&file, &diag, "fuzz.h", &text);
		if (dof_decl_write(&file, size & 1 ? 32 : 64, &dof))
			abort();
		check_dof(&dof);
	}
	free(copy);
	bytes_free(&text);
	bytes_free(&dof);
	provider_file_free(&file);
	return 0;
}
