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
};

/*
 * listing_of - return the listing that has reserved a number, and set *nth to the element. NULL:
 * none has, or the probe of the element exists.
 */
dtrace_listing_t *listing_of(dtrace_id_t id, uint32_t *nth);
/* listing_after - return the provider's first listing with a higher serial, or NULL. */
dtrace_listing_t *listing_after(dtrace_provider_t *prov, uint64_t serial);
/* listing_could - return whether a pattern may match elements at all, as far as their names go. */
bool listing_could(const dtrace_listing_t *l, const struct glob_desc *g);
/*
 * listing_matches - return whether patterns match an element, as probe_matches_within() does for a
 * probe. g: NULL is as four empty patterns. False also if there is no such element.
 */
bool listing_matches(const dtrace_listing_t *l, uint32_t nth, const struct glob_desc *g);
/* listing_desc - describe an element. False: there is no such element. */
bool listing_desc(const dtrace_listing_t *l, uint32_t nth, const char *provname,
		  dtrace_probedesc_t *desc);
/*
 * listing_probe - return the probe of an element. Create it if it does not exist, and set *made
 * then. The caller attaches an ECB, or calls probe_remove_unused(). NULL: no memory, or there is no
 * such element.
 */
dtrace_probe_t *listing_probe(dtrace_listing_t *l, uint32_t nth, bool *made);
/*
 * listing_reap - end the probes of a provider's elements that have no ECBs any more. The sync lock
 * is held, no other one. Called after sync.
 */
void listing_reap(dtrace_provider_t *prov);

#endif
