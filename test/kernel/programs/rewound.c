// SPDX-License-Identifier: MIT
/*
 * rewound.c - a program that counts by instructions which must not be executed twice. Its parent
 * stops it there and lets it return to them, many times, while signals arrive all the time.
 *
 *	rewound PIPE PIPE
 *
 * Write the number of the program to the first pipe; wait for a line from the second. Print the
 * result.
 */
#include <err.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <dtrace/fasttrap.h>

#define TIMES 40   /* at least, of both */
#define LONG  8000 /* ms */

static volatile struct {
	uint64_t calls, sum, signals;
	int stopping;
} * shared;

/* The first instruction that adds is at bump:4. */
uint64_t bump(uint64_t n);
extern const char bump_first[], bump_second[];
__asm__(".text\n.type bump, @function\nbump:\n"
	"endbr64\n.globl bump_first\nbump_first: add $3, %rdi\n"
	".globl bump_second\nbump_second: add $4, %rdi\n"
	"mov %rdi, %rax\nret\n.size bump, . - bump\n");

static void note(int signal)
{
	(void)signal;
	shared->signals++;
}

static void count(void)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (!shared->stopping) {
		shared->sum = bump(shared->sum);
		shared->calls++;
		usleep(1000);
	}
	_exit(0);
}

static void disturb(pid_t pid)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (!shared->stopping && kill(pid, SIGUSR1) == 0)
		;
	_exit(0);
}

/* Stop the program at an instruction; when the stop point ends, it returns to the instruction. */
static void hold(pid_t pid, const char *instruction)
{
	int fd = open("/dev/dtrace/fasttrap", O_RDWR | O_CLOEXEC), point;
	dtrace_stop_address_t at = {
		.dtfa_pid = pid, .dtfa_timeout = LONG, .dtfa_address = (uintptr_t)instruction};
	dtrace_stopped_t stopped;

	if (fd == -1)
		err(1, "/dev/dtrace/fasttrap");
	point = ioctl(fd, DTRACEFTIOC_STOP_ADDRESS, &at);
	if (point == -1 || read(fd, &stopped, sizeof(stopped)) != sizeof(stopped))
		err(1, "stop");
	if (ioctl(fd, DTRACEFTIOC_STOP_END, (long)point) == -1)
		err(1, "end of stop");
	close(fd);
}

static void tell_and_wait(char **pipes, pid_t pid)
{
	FILE *up = fopen(pipes[0], "w"), *go;

	if (!up)
		err(1, "%s", pipes[0]);
	fprintf(up, "%d\n", pid);
	fclose(up);
	go = fopen(pipes[1], "r");
	if (!go || getc(go) == EOF)
		err(1, "%s", pipes[1]);
	fclose(go);
}

int main(int argc, char **argv)
{
	int status;
	pid_t pid;

	if (argc != 3)
		errx(2, "usage: rewound PIPE PIPE");
	shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	signal(SIGUSR1, note);
	pid = fork();
	if (pid == 0)
		count();
	tell_and_wait(argv + 1, pid);
	if (fork() == 0)
		disturb(pid);
	for (int i = 0; i < TIMES || shared->signals < TIMES; i++)
		hold(pid, i % 2 ? bump_first : bump_second);
	shared->stopping = 1;
	waitpid(pid, &status, 0);
	printf("ended with status %d\n", status);
	printf("counted %s\n", shared->sum == 7 * shared->calls ? "right" : "wrong");
	return 0;
}
