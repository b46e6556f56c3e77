/* SPDX-License-Identifier: MIT */
/* @@worlds: kernel curpsinfo and fds[] read objects of the kernel */
/* @@needs: types */
/* Types and names of a program do not affect the libraries, which use those of the kernel. */
#pragma D option quiet

struct task_struct {
	int pid;
	string tgid;
};

typedef struct path {
	int x, y;
} file;

enum {
	SONPROC = 99
};

int T;

BEGIN
{
	printf("%d %d\n", sizeof (struct path), SONPROC);
	printf("%d %s\n", curpsinfo->pr_pid == pid, curpsinfo->pr_fname);
	printf("%d %d\n", curlwpsinfo->pr_lwpid == tid, curlwpsinfo->pr_state);
	printf("%s %s\n", fds[0].fi_pathname, fds[0].fi_mount);
	printf("%s\n", root);
	exit(0);
}
