/* SPDX-License-Identifier: MIT */
/*
 * names.c - names of hosts by %I. Records are not read while a resolver is asked, and the deadman
 * ends a session that does not read: names are kept, and after a slow answer no more are looked up.
 */
#include <netdb.h>
#include <stdlib.h>
#include <string.h>
#include "consume.h"

#define HOSTS 256
#define SLOW  1000000000 /* ns */

/* The hosts that were looked up last. */
struct dt_hosts {
	struct host {
		char *address; /* as text; NULL: none yet */
		char *name;    /* NULL: it has none */
	} hosts[HOSTS];
	unsigned int oldest; /* which is replaced next */
	bool is_slow;	     /* the resolver; no more hosts are looked up */
};

/* Look up the host with an address, and keep its name. Return it, or NULL. */
static const char *host_add(struct dt_hosts *hosts, const char *text,
			    const struct addrinfo *address)
{
	struct host *host = &hosts->hosts[hosts->oldest];
	char name[NI_MAXHOST];
	uint64_t start = dt_now();
	int err = getnameinfo(address->ai_addr, address->ai_addrlen, name, sizeof(name), NULL, 0,
			      NI_NAMEREQD);

	hosts->is_slow = err == EAI_AGAIN || dt_now() - start > SLOW;
	hosts->oldest = (hosts->oldest + 1) % HOSTS;
	free(host->address);
	free(host->name);
	host->address = strdup(text);
	host->name = err == 0 ? strdup(dt_clean(name)) : NULL;
	return host->name;
}

const char *dt_host_name(dtrace_hdl_t *dtp, const char *text)
{
	const struct addrinfo hints = {.ai_flags = AI_NUMERICHOST};
	struct addrinfo *address;
	const char *name;

	if (!dtp->hosts)
		dtp->hosts = calloc(1, sizeof(*dtp->hosts));
	if (!dtp->hosts || dtp->hosts->is_slow)
		return NULL;
	for (struct host *host = dtp->hosts->hosts; host < dtp->hosts->hosts + HOSTS; host++)
		if (host->address && strcmp(host->address, text) == 0)
			return host->name;
	if (getaddrinfo(text, NULL, &hints, &address) != 0)
		return NULL;
	name = host_add(dtp->hosts, text, address);
	freeaddrinfo(address);
	return name;
}

void dt_hosts_fini(dtrace_hdl_t *dtp)
{
	for (int i = 0; dtp->hosts && i < HOSTS; i++) {
		free(dtp->hosts->hosts[i].address);
		free(dtp->hosts->hosts[i].name);
	}
	free(dtp->hosts);
	dtp->hosts = NULL;
}
