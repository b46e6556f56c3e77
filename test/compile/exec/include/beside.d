/* SPDX-License-Identifier: MIT */
/* A program of its own, whose header is beside it and not where dtrace is run. */
#include "values.h"
BEGIN { printf("beside %d\n", SEVEN); exit(0); }
