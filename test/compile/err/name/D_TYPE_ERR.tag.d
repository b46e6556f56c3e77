/* args: -xbtfpath=TYPES -xnolibs */
/* SPDX-License-Identifier: MIT */
struct mod`nowhere *p;
