/* SPDX-License-Identifier: MIT */
/*
 * names.c - processes with chosen numbers, whose providers have chosen names. The names with the
 * numbers are equal: foo1 of process 5023 and foo of process 15023.
 *
 *	attack-names NAME PID UID ...	start a process for each three arguments; each prints the
 *					result of its registration, and hits its probe until it is
 *					killed
 *
 * The program must start as root, who may choose the number of a process.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <dtrace/helper.h>
#include "../lib/dof.h"

#define PROVIDER DOF_OTHERS
#define NSECS	 (DOF_OTHERS + 1)

/* A function whose first instruction is the site of the probe. */
void names_hit(void);
__asm__(".text\n.globl names_hit\nnames_hit:\n.byte 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x90\nret\n");

static int names_register(const char *name)
{
	struct dof_bytes file = {0}, strings = {0};
	dof_probe_t probe = {.dofpr_addr = (uint64_t)(uintptr_t)names_hit, .dofpr_noffs = 1};
	dof_provider_t provider;
	uint32_t offset = 0;
	int fd = open(DTRACE_HELPER_DEVICE, O_RDWR);

	dof_begin(&file, NSECS);
	dof_add_string(&strings, "");
	provider = dof_provider(dof_add_string(&strings, name));
	probe.dofpr_func = dof_add_string(&strings, "names_hit");
	probe.dofpr_name = dof_add_string(&strings, "hit");
	dof_add_section(&file, DOF_PROBES, DOF_SECT_PROBES, 8, sizeof(probe), &probe,
			sizeof(probe));
	dof_add_section(&file, DOF_PRARGS, DOF_SECT_PRARGS, 1, 1, "", 1);
	dof_add_section(&file, DOF_PROFFS, DOF_SECT_PROFFS, 4, 4, &offset, sizeof(offset));
	dof_add_section(&file, PROVIDER, DOF_SECT_PROVIDER, 4, 0, &provider,
			offsetof(dof_provider_t, dofpv_prenoffs));
	dof_add_section(&file, DOF_STRTAB, DOF_SECT_STRTAB, 1, 0, strings.data, strings.size);
	dof_end(&file, NSECS, DOF_VERSION_1);
	return ioctl(fd, DTRACEHIOC_ADD, file.data);
}

static void __attribute__((noreturn)) child(const char *name, uid_t uid)
{
	if (setuid(uid) || names_register(name) < 0)
		printf("%s of %d: %s\n", name, getpid(), strerror(errno));
	else
		printf("%s of %d: registered\n", name, getpid());
	fflush(stdout);
	for (;;) {
		names_hit();
		usleep(10000);
	}
}

/* Fork a child with a number: by clone3(), which each kernel has, debug kernels too. */
static int spawn(const char *name, pid_t pid, uid_t uid)
{
	struct clone_args args = {
		.exit_signal = SIGCHLD, .set_tid = (uint64_t)(uintptr_t)&pid, .set_tid_size = 1};
	long got = syscall(SYS_clone3, &args, sizeof(args));

	if (!got)
		child(name, uid);
	if (got == pid)
		return 0;
	fprintf(stderr, "attack-names: no process with the number %d: %s\n", pid, strerror(errno));
	return 1;
}

int main(int argc, char **argv)
{
	for (int i = 1; i + 2 < argc; i += 3)
		if (spawn(argv[i], atoi(argv[i + 1]), (uid_t)atoi(argv[i + 2])))
			return 1;
	while (wait(NULL) > 0)
		;
	return 0;
}
