// SPDX-License-Identifier: MIT
/* worker.c - let THREADS threads allocate and copy ROUNDS times each; print their results. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX	64
#define LARGEST 3000

static unsigned long rounds;

static void *work(void *arg)
{
	unsigned char copy[LARGEST];
	unsigned long *sum = arg;

	for (unsigned long i = 0; i < rounds; i++) {
		size_t size = 1 + i % LARGEST;
		unsigned char *block = malloc(size);

		if (!block)
			abort();
		memset(block, (int)(i & 0xff), size);
		memcpy(copy, block, size);
		*sum += copy[size / 2] + size;
		free(block);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	unsigned long n = argc > 2 ? strtoul(argv[1], NULL, 10) : 1, sums[MAX] = {0}, sum = 0;
	pthread_t threads[MAX];

	rounds = argc > 2 ? strtoul(argv[2], NULL, 10) : 1000;
	for (unsigned long i = 0; i < n && i < MAX; i++)
		if (pthread_create(&threads[i], NULL, work, &sums[i]) != 0)
			abort();
	for (unsigned long i = 0; i < n && i < MAX; i++) {
		pthread_join(threads[i], NULL);
		sum += sums[i];
	}
	printf("worker %lu\n", sum);
	return 0;
}
