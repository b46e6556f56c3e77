/* SPDX-License-Identifier: MIT */
/* door_remote.h - the struct dt_remote of a program that has come to the door. (door_remote.c) */
#ifndef DT_USERLAND_DOOR_REMOTE_H
#define DT_USERLAND_DOOR_REMOTE_H

#include "remote.h"

#define DT_DOOR_MS 1000000LL /* in ns */

/* Return the time in ns of CLOCK_MONOTONIC. */
int64_t dt_door_now(void);

/* Make a remote of a socket, which it takes over. Return NULL if there is no memory. */
struct dt_remote *dt_door_remote(int fd, pid_t pid);

/*
 * Have the program say that it still waits; so it waits further, within its limit for all conversations.
 * Does not count as waiting for an answer. Return 0 or a negative errno.
 */
int dt_door_remote_keepalive(struct dt_remote *remote);

/* Do what the operation end does, with an errno for the program: why the session does not want it. */
void dt_door_remote_end(struct dt_remote *remote, int error);

/* Tell the program at the other end of a socket to go on, if it takes that without delay. */
void dt_door_done(int fd, int error);

#endif
