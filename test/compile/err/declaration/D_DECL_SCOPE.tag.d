/* args: -xbtfpath=TYPES -xnolibs */
/* SPDX-License-Identifier: MIT */
struct vmlinux`x {
	int a;
};
