/* SPDX-License-Identifier: MIT */
/* main.c - a program that can be built with and without probes. */
#include <config.h>
#ifdef ENABLE_DTRACE
#include "app.h"
#else
#define APP_START(argc, argv)
#endif

int part(int n);

int main(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	APP_START(argc, argv);
	return part(0);
}
