/* SPDX-License-Identifier: MIT */
/* main.c - count FILE...: the lines and words of files, by libwords. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "words.h"
#include "count_probes.h"

static int count_file(const char *path)
{
	FILE *fp = fopen(path, "r");
	struct words w;

	if (!fp) {
		fprintf(stderr, "count: %s: %s\n", path, strerror(errno));
		return 1;
	}
	COUNT_FILE_START(path);
	w = words_read(fp);
	fclose(fp);
	/* The division is made only while a tracer traces the probe. */
	if (COUNT_FILE_DONE_ENABLED())
		COUNT_FILE_DONE(path, w.lines, w.words, w.words ? (double)w.letters / w.words : 0);
	printf("%s: %d lines, %lu words\n", path, w.lines, w.words);
	return 0;
}

int main(int argc, char **argv)
{
	int status = 0;

	for (int i = 1; i < argc; i++)
		status |= count_file(argv[i]);
	return status;
}
