/* SPDX-License-Identifier: MIT */
/*
 * names.c - names of hosts by %I and of services by %P. Records are not read while a resolver is
 * asked, and the deadman ends a session that does not read: names are kept, and after a slow answer
 * no more hosts are looked up.
 */
#include <arpa/inet.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>
#include "consume.h"

#define HOSTS 256
#define SLOW  1000000000 /* ns */

struct dt_names {
	/* The hosts that were looked up last. */
	struct host {
		char *address; /* as text; NULL: none yet */
		char *name;    /* NULL: it has none */
	} hosts[HOSTS];
	unsigned int oldest; /* which is replaced next */
	/* By port. */
	struct service {
		char *name; /* NULL: it has none */
		bool is_known;
	} services[UINT16_MAX + 1];
	bool is_slow; /* the resolver; no more hosts are looked up */
};

static struct dt_names *names_get(dtrace_hdl_t *dtp)
{
	if (!dtp->names)
		dtp->names = calloc(1, sizeof(*dtp->names));
	return dtp->names;
}

/* Look up the host with an address, and keep its name. Return it, or NULL. */
static const char *host_add(struct dt_names *names, const char *text,
			    const struct addrinfo *address)
{
	struct host *host = &names->hosts[names->oldest];
	char name[NI_MAXHOST];
	uint64_t start = dt_now();
	int err = getnameinfo(address->ai_addr, address->ai_addrlen, name, sizeof(name), NULL, 0,
			      NI_NAMEREQD);

	names->is_slow = err == EAI_AGAIN || dt_now() - start > SLOW;
	names->oldest = (names->oldest + 1) % HOSTS;
	free(host->address);
	free(host->name);
	host->address = strdup(text);
	host->name = err == 0 ? strdup(dt_clean(name)) : NULL;
	return host->name;
}

const char *dt_host_name(dtrace_hdl_t *dtp, const char *text)
{
	const struct addrinfo hints = {.ai_flags = AI_NUMERICHOST};
	struct dt_names *names = names_get(dtp);
	struct addrinfo *address;
	const char *name;

	if (!names || names->is_slow)
		return NULL;
	for (struct host *host = names->hosts; host < names->hosts + HOSTS; host++)
		if (host->address && strcmp(host->address, text) == 0)
			return host->name;
	if (getaddrinfo(text, NULL, &hints, &address) != 0)
		return NULL;
	name = host_add(names, text, address);
	freeaddrinfo(address);
	return name;
}

const char *dt_service_name(dtrace_hdl_t *dtp, uint16_t port)
{
	struct dt_names *names = names_get(dtp);
	const struct servent *found;
	struct service *service;

	if (!names)
		return NULL;
	service = &names->services[port];
	if (!service->is_known) {
		found = getservbyport(htons(port), NULL);
		service->name = found ? strdup(dt_clean(found->s_name)) : NULL;
		service->is_known = true;
	}
	return service->name;
}

void dt_names_fini(dtrace_hdl_t *dtp)
{
	struct dt_names *names = dtp->names;

	for (int i = 0; names && i < HOSTS; i++) {
		free(names->hosts[i].address);
		free(names->hosts[i].name);
	}
	for (int port = 0; names && port <= UINT16_MAX; port++)
		free(names->services[port].name);
	free(names);
	dtp->names = NULL;
}
