/* SPDX-License-Identifier: MIT */
/* fuse.h - a FUSE file system of one file, "file", whose reads are never answered. (fuse.c) */
#ifndef ATTACK_FUSE_H
#define ATTACK_FUSE_H

#define FUSE_FILE_SIZE (1 << 20)

/* fuse_mount - mount the file system, in a new namespace; return the descriptor for its server. */
int fuse_mount(const char *directory);
/*
 * fuse_serve - answer all requests but reads; write a byte to told for each read. Does not return.
 */
void fuse_serve(int fd, int told);

#endif
