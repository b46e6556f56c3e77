/* SPDX-License-Identifier: MIT */
/* consume_start_victim.c - tells descriptor VICTIM_FD when its constructor and its main run. */
#include <stdlib.h>
#include <unistd.h>

static void tell(const char *what)
{
	const char *fd = getenv("VICTIM_FD");

	if (!fd || write(atoi(fd), what, 1) != 1)
		_exit(1);
}

__attribute__((constructor)) static void before(void)
{
	tell("c");
}

int main(void)
{
	tell("m");
	return 7;
}
