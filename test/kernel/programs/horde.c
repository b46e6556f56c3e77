// SPDX-License-Identifier: MIT
/*
 * horde.c - fork N children, which all exist at the same time, with a real-time priority: nothing
 * else runs on the processor. Then each child fires horde:::born(i) and ends.
 *
 *	horde UP GO N	first write the pid to FIFO UP, and wait for a line from GO
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/sdt.h>
#include <sys/wait.h>
#include <unistd.h>

static int gate[2]; /* closed when the children may go on */

static __attribute__((noinline)) void born(int i)
{
	DTRACE_PROBE1(horde, born, i);
}

static void __attribute__((noreturn)) child(int i)
{
	char c;

	close(gate[1]);
	if (read(gate[0], &c, 1) == 0)
		born(i);
	_exit(0);
}

static void policy_set(int policy, int priority)
{
	if (sched_setscheduler(0, policy, &(struct sched_param){.sched_priority = priority})) {
		perror("horde: sched_setscheduler");
		exit(3);
	}
}

static void handshake(const char *up, const char *go)
{
	FILE *fp = fopen(up, "w");
	char line[8];

	if (!fp)
		exit(3);
	fprintf(fp, "%d\n", getpid());
	fclose(fp);
	fp = fopen(go, "r");
	if (!fp || !fgets(line, sizeof(line), fp))
		exit(3);
	fclose(fp);
}

int main(int argc, char **argv)
{
	int n, i, status, died = 0;
	pid_t pid;

	if (argc != 4 || pipe(gate))
		return 2;
	n = atoi(argv[3]);
	handshake(argv[1], argv[2]);
	policy_set(SCHED_FIFO, 50);
	for (i = 1; i <= n; i++) {
		pid = fork();
		if (!pid)
			child(i);
		if (pid < 0) {
			perror("horde: fork");
			return 3;
		}
	}
	close(gate[1]); /* the children run when this process waits */
	policy_set(SCHED_OTHER, 0);
	while (wait(&status) > 0)
		died += status != 0;
	printf("%d children, %d of them died\n", n, died);
	return 0;
}
