/* SPDX-License-Identifier: MIT */
/* door_remote.h - the struct dt_remote of a program that has come to the door. (door_remote.c) */
#ifndef DT_USERLAND_DOOR_REMOTE_H
#define DT_USERLAND_DOOR_REMOTE_H

#include <stdbool.h>
#include "remote.h"

#define DT_DOOR_MS 1000000LL /* in ns */

/* Make a remote that owns a socket. Return NULL without memory. */
struct dt_remote *dt_door_remote(int fd, pid_t pid);

/*
 * Extend the wait of a program, within its limit for all conversations: make it reply. The time
 * does not count as waiting for replies. Return 0 or a negative errno.
 */
int dt_door_remote_keepalive(struct dt_remote *remote);

/* Return whether the program has gone on by itself, or has ended. Do not wait. */
bool dt_door_remote_left(struct dt_remote *remote);

/*
 * Do as the operation end does. error: a positive errno that tells the program why the session does
 * not trace it, or 0.
 */
void dt_door_remote_end(struct dt_remote *remote, int error);

/*
 * Tell the program at the other end of a socket to go on, if the socket takes the request without
 * delay.
 */
void dt_door_done(int fd, int error);

#endif
