// SPDX-License-Identifier: MIT
/*
 * reserved.c - send requests with invalid reserved fields or flags to the devices. Print a line for
 * each: the correct request, then the request with each field changed.
 */
#include <dtrace/dof.h>
#include <dtrace/fasttrap.h>
#include <dtrace/ioctl.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int fasttrap, dtrace;

static void say(const char *what, int result)
{
	if (result < 0)
		printf("%s: %s\n", what, strerror(errno));
	else
		printf("%s: taken\n", what);
}

static void try_register(const char *what, uint32_t flags, uint32_t pad)
{
	/* no DOF there: otherwise correct requests fail for that reason */
	dtrace_ft_register_t reg = {.dtfr_pid = getpid(), .dtfr_flags = flags, .dtfr_pad = pad};

	say(what, ioctl(fasttrap, DTRACEFTIOC_REGISTER, &reg));
}

static void try_register_file(const char *what, uint32_t flags, uint32_t pad)
{
	dtrace_ft_register_file_t reg = {.dtff_fd = -1, .dtff_flags = flags, .dtff_pad = pad};

	say(what, ioctl(fasttrap, DTRACEFTIOC_REGISTER_FILE, &reg));
}

static void try_address(const char *what, uint32_t timeout, uint32_t flags, uint32_t pad)
{
	dtrace_stop_address_t address = {.dtfa_pid = getpid(),
					 .dtfa_timeout = timeout,
					 .dtfa_address = (uintptr_t)try_register,
					 .dtfa_flags = flags,
					 .dtfa_pad = pad};
	int point = ioctl(fasttrap, DTRACEFTIOC_STOP_ADDRESS, &address);

	say(what, point);
	if (point >= 0)
		ioctl(fasttrap, DTRACEFTIOC_STOP_END, point);
}

static void try_exec(const char *what, uint32_t timeout, uint32_t flags, int32_t pid, char name)
{
	dtrace_stop_exec_t exec = {.dtfx_timeout = timeout, .dtfx_pid = pid, .dtfx_flags = flags};
	int point;

	memset(exec.dtfx_name, name, sizeof(exec.dtfx_name) - (name != '!'));
	point = ioctl(fasttrap, DTRACEFTIOC_STOP_EXEC, &exec);
	say(what, point);
	if (point >= 0)
		ioctl(fasttrap, DTRACEFTIOC_STOP_END, point);
}

static void try_policy(const char *what, const dtrace_policy_entry_t *entries, uint32_t n,
		       uint32_t pad)
{
	dtrace_policy_t policy = {.dtpo_entries = (uintptr_t)entries, .dtpo_n = n, .dtpo_pad = pad};

	say(what, ioctl(dtrace, DTRACEIOC_POLICY, &policy));
}

int main(void)
{
	const dtrace_policy_entry_t user = {DTRACE_POLICY_UID, 1000, DTRACE_PRIV_USER, 0};
	static dtrace_policy_entry_t many[DTRACE_POLICY_MAX + 1];
	dtrace_policy_entry_t other;

	fasttrap = open("/dev/dtrace/fasttrap", O_RDWR);
	dtrace = open("/dev/dtrace/dtrace", O_RDWR);
	if (fasttrap < 0 || dtrace < 0)
		return 3;

	try_register("register", DTRACE_FT_PID, 0);
	try_register("register, padded", DTRACE_FT_PID, 1);
	try_register("register, padded at its end", DTRACE_FT_PID, 1U << 31);
	try_register("register, an unknown flag", DTRACE_FT_PID | 8, 0);
	try_register("register, an unknown flag alone", 1U << 31, 0);
	try_register("register, follow without pid", DTRACE_FT_FOLLOW, 0);
	try_register("register, program without pid", DTRACE_FT_PROGRAM, 0);
	try_register("register, all flags", DTRACE_FT_PID | DTRACE_FT_FOLLOW | DTRACE_FT_PROGRAM,
		     0);

	try_register_file("register a file", 0, 0);
	try_register_file("register a file, padded", 0, 1);
	try_register_file("register a file, with a flag", DTRACE_FT_PID, 0);

	try_address("stop at an address", 1000, 0, 0);
	try_address("stop at an address, follow", 1000, DTRACE_STOP_FOLLOW, 0);
	try_address("stop at an address, padded", 1000, 0, 1);
	try_address("stop at an address, another flag", 1000, DTRACE_FT_PID, 0);
	try_address("stop at an address, no time", 0, 0, 0);

	try_exec("stop an exec", 1000, 0, 0, 'x');
	try_exec("stop an exec, of a process", 1000, DTRACE_STOP_FOLLOW, getpid(), '\0');
	try_exec("stop an exec, follow a name", 1000, DTRACE_STOP_FOLLOW, 0, 'x');
	try_exec("stop an exec, another flag", 1000, DTRACE_FT_PID, getpid(), '\0');
	try_exec("stop an exec, no time", 0, 0, 0, 'x');
	try_exec("stop an exec, a name without end", 1000, 0, 0, '!');
	try_exec("stop an exec, neither", 1000, 0, 0, '\0');
	try_exec("stop an exec, both", 1000, 0, getpid(), 'x');

	try_policy("policy", &user, 1, 0);
	try_policy("policy, padded", &user, 1, 1);
	for (int i = 0; i <= DTRACE_POLICY_MAX; i++)
		many[i] = user;
	try_policy("policy, as many as can be", many, DTRACE_POLICY_MAX, 0);
	try_policy("policy, one too many", many, DTRACE_POLICY_MAX + 1, 0);
	other = user;
	other.dtpe_pad = 1;
	try_policy("policy, an entry padded", &other, 1, 0);
	other = user;
	other.dtpe_rights = DTRACE_PRIV_ALL | DTRACE_PRIV_ALL << 1;
	try_policy("policy, an unknown right", &other, 1, 0);
	other = user;
	other.dtpe_who = DTRACE_POLICY_GID + 1;
	try_policy("policy, of nobody", &other, 1, 0);
	other.dtpe_who = DTRACE_POLICY_ALL;
	try_policy("policy, all of a number", &other, 1, 0);
	other = user;
	other.dtpe_id = -1U;
	try_policy("policy, no user", &other, 1, 0);
	try_policy("policy, empty", &user, 0, 0);
	return 0;
}
