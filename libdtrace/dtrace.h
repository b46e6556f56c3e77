/* SPDX-License-Identifier: MIT */
/* dtrace.h - libdtrace's interface under its classic name. */
#include <libdtrace.h>
