// SPDX-License-Identifier: MIT
/* named.c - call named() in a thread with a name of its own, then in the first thread. */
#define _GNU_SOURCE
#include <pthread.h>

__attribute__((noinline)) void named(void)
{
	__asm__ volatile("");
}

static void *second(void *unused)
{
	pthread_setname_np(pthread_self(), "a second thread");
	named();
	return unused;
}

int main(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, second, NULL) != 0)
		return 1;
	pthread_join(thread, NULL);
	named();
	return 0;
}
