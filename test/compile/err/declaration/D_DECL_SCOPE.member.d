/* args: -xbtfpath=TYPES -xnolibs */
/* SPDX-License-Identifier: MIT */
struct x {
	int vmlinux`a;
};
