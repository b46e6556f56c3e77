/* args: -xbtfpath=TYPES -xnolibs */
/* SPDX-License-Identifier: MIT */
vmlinux`nowhere_t x;
