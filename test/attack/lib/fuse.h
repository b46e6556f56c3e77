/* SPDX-License-Identifier: MIT */
/* fuse.h - a FUSE file system of one file, "file", whose reading is never answered. (fuse.c) */
#ifndef ATTACK_FUSE_H
#define ATTACK_FUSE_H

#define FUSE_FILE_SIZE	(1 << 20)

/* fuse_mount - mount it there, in a namespace of the process's own; the descriptor for its server. */
int fuse_mount(const char *directory);
/* fuse_serve - answer everything but reading; for each of that a byte is written to told. Does not return. */
void fuse_serve(int fd, int told);

#endif
