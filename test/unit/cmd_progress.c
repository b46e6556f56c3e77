/* SPDX-License-Identifier: MIT */
/*
 * cmd_progress.c - what takes long is told on a terminal and nowhere else, and the line goes when
 * it is over.
 */
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "../../cmd/cmd.h"

static char text[512];

/* Return what is written to stderr, which is fd, within ms of waiting; from is read. */
static const char *waited(int fd, int from, int ms)
{
	struct pollfd news = {.fd = from, .events = POLLIN};
	int old = dup(STDERR_FILENO);
	size_t n = 0;

	assert_int_not_equal(dup2(fd, STDERR_FILENO), -1);
	progress_begin("waiting for the test");
	usleep(ms * 1000);
	progress_end();
	assert_int_not_equal(dup2(old, STDERR_FILENO), -1);
	close(old);
	while (n < sizeof(text) - 1 && poll(&news, 1, 200) == 1)
		n += read(from, text + n, sizeof(text) - 1 - n);
	text[n] = '\0';
	return text;
}

static void a_terminal_is_told(void **state)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY), slave;

	(void)state;
	assert_int_equal(grantpt(master), 0);
	assert_int_equal(unlockpt(master), 0);
	slave = open(ptsname(master), O_RDWR | O_NOCTTY);
	assert_int_not_equal(slave, -1);
	assert_string_equal(waited(slave, master, 100), "");
	assert_string_equal(waited(slave, master, 3500),
			    "\rdtrace: waiting for the test ... 2 s"
			    "\rdtrace: waiting for the test ... 3 s\r\033[K");
	close(slave);
	close(master);
}

static void a_pipe_is_not(void **state)
{
	int fds[2];

	(void)state;
	assert_int_equal(pipe(fds), 0);
	assert_string_equal(waited(fds[1], fds[0], 2500), "");
	close(fds[0]);
	close(fds[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_terminal_is_told),
		cmocka_unit_test(a_pipe_is_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
