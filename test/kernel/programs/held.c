// SPDX-License-Identifier: MIT
/*
 * held.c - a forked child that cannot be stopped when tracing ends, since it waits in vfork(); it
 * calls held() afterwards.
 *
 *	held TELL GO	fork after a line from GO; write a line to TELL when the child waits; let
 *			it go on after another line from GO
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* A jump to the agent from one instruction may need bytes of others. */
__asm__(".text\n"
	".globl held\n"
	".type held, @function\n"
	"held:	mov %rdi, %rax\n"
	"	push %rbx\n"
	"	mov %rdi, %rbx\n"
	"	lea 1(%rax,%rax,2), %eax\n"
	"	push %rcx\n"
	"	pop %rcx\n"
	"	xor %ebx, %ebx\n"
	"	nop\n"
	"	pop %rbx\n"
	"	mov %eax, %eax\n"
	"	nop\n"
	"	nop\n"
	"	nop\n"
	"	ret\n"
	"	.skip 5, 0x90\n"
	".size held, . - held\n");
int held(int n);

static void await(const char *path)
{
	char line[16];
	int fd = open(path, O_RDONLY);

	if (fd == -1 || read(fd, line, sizeof(line)) <= 0)
		_exit(2);
	close(fd);
}

static void tell(const char *path)
{
	int fd = open(path, O_WRONLY);

	if (fd == -1 || write(fd, "held\n", 5) != 5)
		_exit(2);
	close(fd);
}

static int child(const char *up, const char *go)
{
	pid_t pid = vfork();

	if (pid == 0) {
		tell(up);
		await(go);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	return held(5) == 16 ? 0 : 1;
}

int main(int argc, char **argv)
{
	int status;
	pid_t pid;

	if (argc != 3)
		return 2;
	await(argv[2]);
	held(1);
	pid = fork();
	if (pid == 0)
		_exit(child(argv[1], argv[2]));
	waitpid(pid, &status, 0);
	if (WIFSIGNALED(status))
		printf("the child was killed by signal %d\n", WTERMSIG(status));
	else
		printf("the child has exited with %d\n", WEXITSTATUS(status));
	return 0;
}
