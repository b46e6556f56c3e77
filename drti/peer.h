/* SPDX-License-Identifier: MIT */
/* peer.h - which consumers a program lets in. (peer.c) */
#ifndef DRTI_PEER_H
#define DRTI_PEER_H

#include <stdbool.h>
#include <sys/socket.h>

/*
 * Return whether debuggers may be attached to this process at all: neither set-id nor non-dumpable.
 */
bool peer_any(void);

/*
 * Return whether a consumer may trace this process: what ptrace would decide.
 *	fd	a socket that is connected with the consumer
 *	peer	set to the consumer's process and its effective ids
 * With DTRACE_DOF_INIT_DEBUG the reason why a peer is rejected is printed.
 */
bool peer_may(int fd, struct ucred *peer);

#endif
