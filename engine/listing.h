/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * listing.h - probes that exist while they are enabled. (listing.c)
 *
 * The engine lock protects listings; all functions but listing_reap() are called with it.
 */
#ifndef DTRACE_ENGINE_LISTING_H
#define DTRACE_ENGINE_LISTING_H

#include "glob.h"
#include "probe.h"
#include "table.h"

/* Probes of a provider that exist while they are enabled (listing.c). All [L]. */
struct dtrace_listing {
	struct link link; /* of the provider, in the order of serial */
	dtrace_provider_t *prov;
	void *arg; /* the provider's */
	const char *const *names;
	uint32_t nnames, n; /* n: elements, nnames for each function */
	dtrace_id_t first;  /* number of the first element */
	uint64_t serial;    /* in the order of probes */
	bool fresh;	    /* retained enablings have not seen it */
};

/* listing_of - the listing that has reserved a number, and the element; NULL: none, or it exists. */
dtrace_listing_t *listing_of(dtrace_id_t id, uint32_t *nth);
/* listing_after - the provider's first listing with a higher serial, or NULL. */
dtrace_listing_t *listing_after(dtrace_provider_t *prov, uint64_t serial);
/* listing_could - may a pattern match elements at all, as far as their names go? */
bool listing_could(const dtrace_listing_t *l, const struct glob_desc *g);
/* listing_matches - as probe_matches_within, for an element. False: there is no such element. */
bool listing_matches(const dtrace_listing_t *l, uint32_t nth, const struct glob_desc *g);
/* listing_module_matches - the same for the module of an element alone, by any of its names. */
bool listing_module_matches(const dtrace_listing_t *l, uint32_t nth, const struct glob *g);
/* listing_desc - describe an element. False: there is no such element. */
bool listing_desc(const dtrace_listing_t *l, uint32_t nth, const char *provname,
		  dtrace_probedesc_t *desc);
/*
 * listing_probe - the probe of an element, made if it does not exist: then *made. The caller attaches
 * an ECB, or calls probe_remove_unused. NULL: no memory, or there is no such element.
 */
dtrace_probe_t *listing_probe(dtrace_listing_t *l, uint32_t nth, bool *made);
/*
 * listing_reap - no lock held, under the sync lock, after sync: end the elements of a provider that
 * have no ECBs any more.
 */
void listing_reap(dtrace_provider_t *prov);

#endif
