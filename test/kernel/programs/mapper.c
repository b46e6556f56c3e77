/* SPDX-License-Identifier: MIT */
/*
 * mapper.c - makes and removes a device of the device mapper:
 *
 *	mapper make NAME START LENGTH TYPE PARAMETERS...
 *	mapper remove NAME
 *
 * START and LENGTH are in sectors. make prints the name of the device.
 */
#include <err.h>
#include <fcntl.h>
#include <linux/dm-ioctl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/sysmacros.h>

/* A request with a table of one target. */
struct request {
	struct dm_ioctl header;
	struct dm_target_spec target;
	char parameters[256];
};

static void carry_out(unsigned long command, struct request *request, const char *name)
{
	int control = open("/dev/mapper/control", O_RDWR);

	request->header.version[0] = DM_VERSION_MAJOR;
	request->header.data_size = sizeof(*request);
	request->header.data_start = offsetof(struct request, target);
	snprintf(request->header.name, sizeof(request->header.name), "%s", name);
	if (ioctl(control, command, request) < 0)
		err(1, "%s", name);
}

static void make(const char *name, char *const *words)
{
	struct request created = {}, resumed = {};
	struct request table = {.header.target_count = 1};
	size_t n = 0;

	carry_out(DM_DEV_CREATE, &created, name);
	table.target.sector_start = strtoull(words[0], NULL, 0);
	table.target.length = strtoull(words[1], NULL, 0);
	snprintf(table.target.target_type, sizeof(table.target.target_type), "%s", words[2]);
	for (words += 3; *words; words++)
		n += snprintf(table.parameters + n, sizeof(table.parameters) - n, "%s ", *words);
	carry_out(DM_TABLE_LOAD, &table, name);
	carry_out(DM_DEV_SUSPEND, &resumed, name);
	printf("dm-%u\n", minor(created.header.dev));
}

int main(int argc, char **argv)
{
	struct request removed = {};

	if (argc > 6 && strcmp(argv[1], "make") == 0)
		make(argv[2], argv + 3);
	else if (argc == 3 && strcmp(argv[1], "remove") == 0)
		carry_out(DM_DEV_REMOVE, &removed, argv[2]);
	else
		errx(2, "usage: mapper make NAME START LENGTH TYPE PARAMETERS..., or remove NAME");
	return 0;
}
