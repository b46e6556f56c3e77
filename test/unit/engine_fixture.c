/* SPDX-License-Identifier: MIT */
/* engine_fixture.c - what tests of the engine share. */
#include "engine_fixture.h"

struct fixture fix;

/* ---- the provider ---- */

static int fix_provide(void *arg, const dtrace_probedesc_t *desc)
{
	(void)arg, (void)desc;
	fix.provided++;
	return fix.provide_error;
}

static int fix_enable(void *arg, dtrace_probe_t *probe, void *parg)
{
	(void)arg, (void)probe, (void)parg;
	if (!fix.enable_error)
		fix.enabled++;
	return fix.enable_error;
}

static void fix_disable(void *arg, dtrace_probe_t *probe, void *parg)
{
	(void)arg, (void)probe, (void)parg;
	fix.disabled++;
}

static void fix_bind(void *arg, dtrace_probe_t *probe, void *parg, uint32_t cpu)
{
	(void)arg, (void)probe, (void)parg;
	fix.bound |= 1U << cpu;
}

static void fix_begin(void *arg, dtrace_probe_t *probe, void *parg)
{
	(void)arg, (void)probe, (void)parg;
	fix.begun++;
}

static void fix_sync(void *arg)
{
	(void)arg;
	fix.synced++;
}

static bool fix_getarg(void *arg, dtrace_probe_t *probe, void *parg, unsigned int n,
		       struct dtrace_arg *out)
{
	(void)arg, (void)probe, (void)parg;
	if (n >= fix.nargs)
		return false;
	*out = fix.args[n];
	return true;
}

static uint64_t fix_getargval(void *arg, dtrace_probe_t *probe, void *parg,
			      const struct dtrace_fire *fire, unsigned int argno, bool raw)
{
	(void)arg, (void)probe, (void)parg, (void)argno, (void)raw;
	if (fix.fire_within && fix.within_bound)
		dtrace_fire_timed(fix.fire_within, fire, true);
	else if (fix.fire_within)
		dtrace_fire(fix.fire_within, fire);
	return fix.argval;
}

static void fix_destroy(void *arg, dtrace_probe_t *probe, void *parg)
{
	(void)arg, (void)probe, (void)parg;
	fix.destroyed++;
}

static uint64_t fix_interrupts(void *arg, dtrace_probe_t *probe, void *parg)
{
	(void)arg, (void)probe, (void)parg;
	return fix.interrupts;
}

static const dtrace_provider_ops_t fix_ops = {
	.interrupts = fix_interrupts,
	.provide = fix_provide,
	.enable = fix_enable,
	.disable = fix_disable,
	.bind = fix_bind,
	.begin = fix_begin,
	.sync = fix_sync,
	.getarg = fix_getarg,
	.getargval = fix_getargval,
	.destroy = fix_destroy,
};

dtrace_probe_t *fixture_probe(const char *func, const char *name)
{
	dtrace_probe_t *p;

	assert_int_equal(dtrace_probe_create(fix.prov, "mod", func, name, NULL, &p), 0);
	return p;
}

/* ---- life ---- */

int fixture_setup(void **state)
{
	static const dtrace_pattr_t attr;
	static const dtrace_ppriv_t priv;

	(void)state;
	memset(&fix, 0, sizeof(fix));
	memset(&port_user_world, 0, sizeof(port_user_world));
	port_user_init(FIXTURE_CPUS);
	port_user_window(NULL, 0, false);
	port_user_set_cpu(0);
	if (dtrace_engine_init() ||
	    dtrace_provider_register("test", &attr, &priv, &fix_ops, NULL, &fix.prov))
		return -1;
	fix.a = fixture_probe("func", "a");
	fix.b = fixture_probe("func", "b");
	fixture_session(DTRACE_PRIV_ALL, 0);
	return 0;
}

int fixture_teardown(void **state)
{
	(void)state;
	if (fix.state)
		dtrace_state_destroy(fix.state);
	if (fix.prov)
		dtrace_provider_unregister(fix.prov);
	dtrace_engine_fini();
	build_dof_free(&fix.dof);
	if (port_user_allocated() || port_user_warnings())
		fprintf(stderr, "%lu allocations left, %lu warnings\n", port_user_allocated(),
			port_user_warnings());
	return port_user_allocated() != 0 || port_user_warnings() != 0;
}

void fixture_session(uint32_t privs, uint32_t uid)
{
	fixture_session_in(NULL, privs, uid);
}

void fixture_session_in(const uint32_t *pid_ns, uint32_t privs, uint32_t uid)
{
	struct dtrace_cred cred = {
		.privs = privs, .uid = uid, .pid = 1, .pid_ns = pid_ns, .account = uid};

	if (fix.state)
		dtrace_state_destroy(fix.state);
	assert_int_equal(dtrace_state_create(&cred, NULL, &fix.state), 0);
}

/* ---- programs ---- */

void fixture_clause(const char *desc, const char *pred, const struct build_action *acts)
{
	unsigned int n = 0;
	uint32_t section = DOF_SECIDX_NONE;

	while (acts && acts[n].kind)
		n++;
	if (acts)
		section = build_actions(&fix.dof, acts, n);
	build_clause(&fix.dof, desc, pred, section, 0);
}

int fixture_enable(dtrace_enable_io_t *io, char *msg)
{
	dtrace_enable_io_t mine;
	const void *dof;
	size_t size;
	int rc;

	dof = build_finish(&fix.dof, &size);
	rc = dtrace_state_enable(fix.state, dof, size, io ? io : &mine, msg, msg ? 256 : 0);
	build_dof_free(&fix.dof);
	return rc;
}

void fixture_go(void)
{
	char msg[256];
	dtrace_go_t go;

	if (fix.dof.nsecs && fixture_enable(NULL, msg) != 0)
		fail_msg("enable: %s", msg);
	assert_int_equal(dtrace_state_go(fix.state, &go), 0);
}

void fixture_stop(void)
{
	dtrace_go_t go;

	assert_int_equal(dtrace_state_stop(fix.state, &go), 0);
}

void fixture_fire(dtrace_probe_t *probe, uint64_t arg0)
{
	struct dtrace_fire fire = {.args = &arg0, .nargs = 1};

	dtrace_fire(probe, &fire);
}

void fixture_fire_on(unsigned int cpu, dtrace_probe_t *probe, uint64_t arg0)
{
	port_user_set_cpu(cpu);
	fixture_fire(probe, arg0);
	port_user_set_cpu(0);
}

/* ---- results ---- */

dtrace_bufdesc_t fixture_read(unsigned int cpu, struct bytes *out)
{
	dtrace_bufdesc_t desc;

	assert_int_equal(build_snapshot(fix.state, false, cpu, out, &desc), 0);
	return desc;
}

dtrace_bufdesc_t fixture_read_aggs(unsigned int cpu, struct bytes *out)
{
	dtrace_bufdesc_t desc;

	assert_int_equal(build_snapshot(fix.state, true, cpu, out, &desc), 0);
	return desc;
}

dtrace_status_t fixture_status(void)
{
	dtrace_status_t st;

	assert_int_equal(dtrace_state_status(fix.state, &st), 0);
	return st;
}

uint64_t fixture_u64(const dtrace_rechdr_t *h, size_t off)
{
	uint64_t v;

	assert_non_null(h);
	assert_true(sizeof(*h) + off + sizeof(v) <= h->dtrh_size);
	memcpy(&v, (const uint8_t *)(h + 1) + off, sizeof(v));
	return v;
}
