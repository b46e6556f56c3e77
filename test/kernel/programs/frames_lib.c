/* SPDX-License-Identifier: MIT */
/* frames_lib.c - a library that calls back, for frames.c. */
void frames_through(void (*back)(void));

static volatile int sink;

static __attribute__((noinline)) void frames_inside(void (*back)(void))
{
	back();
	sink++;
}

void frames_through(void (*back)(void))
{
	frames_inside(back);
	sink++;
}
