/* SPDX-License-Identifier: MIT */
/*
 * engine_usdt.c - stop points of a process with static probes: at a location of their own, and at
 * one that has sites.
 */
#include "engine_fixture.h"
#include "dofbuild.h"
#include "usdt.h"
#include <string.h>

#define DOF_ADDR 0x7f0000001000ULL
#define SITE	 0x7f0000100000ULL
#define OTHER	 0x7f0000100010ULL

static struct {
	struct usdt_process process;
	void *blocks[64];
	unsigned int nblocks;
} made;

static void *block_get(void *ctx, size_t size)
{
	(void)ctx;
	assert_in_range(made.nblocks, 0, sizeof(made.blocks) / sizeof(made.blocks[0]) - 1);
	return made.blocks[made.nblocks++] = malloc(size);
}

static int setup(void **state)
{
	int rc = fixture_setup(state);

	usdt_init(&made.process, 1, 4711, 0);
	return rc;
}

static int teardown(void **state)
{
	usdt_fini(&made.process);
	return fixture_teardown(state);
}

/* Add a DOF with one probe at an address. */
static struct usdt_dof *add_probe(const char *name, uint64_t pc)
{
	const struct dofbuild_probe probe = {
		.provider = "app", .name = name, .func = "main", .pc = pc};
	struct dtrace_helper_dof *helper = NULL;
	struct usdt_dof *dof = NULL;
	struct dofbuild b;
	char why[256] = "";
	size_t size;
	void *bytes;

	dofbuild_init(&b, &operands_x86_64, block_get, NULL);
	assert_true(dofbuild_probe(&b, &probe));
	size = dofbuild_size(&b);
	bytes = calloc(1, size);
	dofbuild_write(&b, bytes, DOF_ADDR);
	if (dtrace_helper_parse(bytes, size, DOF_ADDR, 0, UINT64_MAX, &helper, why, sizeof(why)))
		fail_msg("%s", why);
	free(bytes);
	while (made.nblocks)
		free(made.blocks[--made.nblocks]);
	if (usdt_add(&made.process, helper, "app", 0, NULL, &dof, why, sizeof(why)))
		fail_msg("%s", why);
	return dof;
}

/* ---- the tests ---- */

static void stop_of_its_own(void **state)
{
	struct usdt_location *at = usdt_stop_set(&made.process, OTHER, 5, UINT32_MAX);

	(void)state;
	assert_non_null(at);
	assert_int_equal(at->addr, OTHER);
	assert_int_equal(at->stop, 5);
	assert_null(at->sites);
	assert_true(usdt_enabled(at));
	assert_ptr_equal(made.process.locations[at->index], at);
	/* One address has one stop point. */
	assert_null(usdt_stop_set(&made.process, OTHER, 6, UINT32_MAX));
	assert_int_equal(at->stop, 5);
	usdt_stop_clear(&made.process, at);
	assert_null(made.process.locations[0]);
	at = usdt_stop_set(&made.process, OTHER, 6, UINT32_MAX);
	assert_non_null(at);
	assert_int_equal(at->stop, 6);
}

static void stop_with_a_given_number(void **state)
{
	struct usdt_location *at = usdt_stop_set(&made.process, OTHER, 5, 7);

	(void)state;
	assert_non_null(at);
	assert_int_equal(at->index, 7);
	assert_int_equal(made.process.nlocations, 8);
	assert_ptr_equal(made.process.locations[7], at);
	for (uint32_t i = 0; i < 7; i++)
		assert_null(made.process.locations[i]);
	/* The next location without a number comes behind it. */
	assert_int_equal(usdt_stop_set(&made.process, SITE, 6, UINT32_MAX)->index, 8);
}

static void stop_at_a_site(void **state)
{
	struct usdt_dof *dof = add_probe("one", SITE);
	struct usdt_location *at = dof->sites[0].location;

	(void)state;
	assert_false(usdt_enabled(at));
	assert_true(usdt_owns(dof, at));
	assert_ptr_equal(usdt_stop_set(&made.process, SITE, 5, UINT32_MAX), at);
	assert_true(usdt_enabled(at));
	assert_false(usdt_owns(dof, at));
	/* The location stays for the site. */
	usdt_stop_clear(&made.process, at);
	assert_ptr_equal(made.process.locations[at->index], at);
	assert_int_equal(at->stop, 0);
	assert_false(usdt_enabled(at));
	assert_true(usdt_owns(dof, at));
}

static void site_at_a_stop(void **state)
{
	struct usdt_location *at = usdt_stop_set(&made.process, SITE, 5, UINT32_MAX);
	struct usdt_dof *dof;

	(void)state;
	assert_non_null(at);
	assert_int_equal(at->kind, USDT_OFFSET);
	dof = add_probe("one", SITE);
	assert_ptr_equal(dof->sites[0].location, at);
	assert_ptr_equal(at->sites, &dof->sites[0]);
	assert_int_equal(at->kind, dof->sites[0].kind);
	assert_int_equal(at->stop, 5);
	/* It stays for the stop point, too. */
	usdt_remove(&made.process, dof);
	assert_ptr_equal(made.process.locations[at->index], at);
	assert_null(at->sites);
	assert_true(usdt_enabled(at));
	usdt_stop_clear(&made.process, at);
	assert_null(made.process.locations[0]);
}

#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(stop_of_its_own),
		T(stop_with_a_given_number),
		T(stop_at_a_site),
		T(site_at_a_stop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
