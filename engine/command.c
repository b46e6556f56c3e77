// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* command.c - carries out the requests of a session, and copies their structures in and out. */
#include "command.h"
#include "state.h"

struct command {
	const struct dtrace_command_ops *ops;
	void *session;
	dtrace_state_t *state;
};

/* Allocate memory for the time of a request, charged to the session's user. */
static int command_alloc(const struct command *c, struct dtrace_charged *m, size_t size,
			 char *errmsg, size_t len)
{
	return dtrace_charged_alloc(m, c->state->account, DTRACE_RES_MEMORY, size, errmsg, len);
}

/* ---- lists ---- */

static int cmd_provider(const struct command *c, void *arg)
{
	int error = dtrace_state_provider(c->state, arg);

	if (error != -ESRCH)
		return error;
	c->ops->catch_up();
	return dtrace_state_provider(c->state, arg);
}

static int cmd_probes(const struct command *c, void *arg)
{
	dtrace_probes_io_t *io = arg;
	struct dtrace_charged descs;
	int error;

	if (!io->capacity || io->capacity > DTRACE_PROBES_MAX || io->match > 1)
		return -EINVAL;
	if (io->pattern.dtpd_id < 2)
		c->ops->catch_up();
	error = command_alloc(c, &descs, io->capacity * sizeof(dtrace_probedesc_t), NULL, 0);
	if (!error)
		error = dtrace_state_probe_list(c->state, io, descs.p);
	if (!error)
		error = port_copy_out(io->descs, descs.p, io->n * sizeof(dtrace_probedesc_t));
	dtrace_charged_free(&descs);
	return error;
}

static int cmd_probearg(const struct command *c, void *arg)
{
	return dtrace_state_probearg(c->state, arg);
}

/* ---- the session ---- */

static int cmd_status(const struct command *c, void *arg)
{
	return dtrace_state_status(c->state, arg);
}

static int cmd_conf(const struct command *c, void *arg)
{
	dtrace_conf_t *conf = arg;
	int error = dtrace_state_conf(c->state, conf);

	snprintf(conf->dtc_release, sizeof(conf->dtc_release), "%s", c->ops->release);
	return error;
}

static int cmd_go(const struct command *c, void *arg)
{
	int error = dtrace_state_go(c->state, arg);

	if (!error)
		c->ops->started(c->session);
	return error;
}

static int cmd_stop(const struct command *c, void *arg)
{
	return dtrace_state_stop(c->state, arg);
}

static int cmd_optget(const struct command *c, void *arg)
{
	return dtrace_state_optget(c->state, arg);
}

static int cmd_policy(const struct command *c, void *arg)
{
	return c->ops->policy(arg);
}

/* ---- enabling ---- */

/*
 * Copy the DOF at an address of the caller, whose header says its size, to dof, which the caller
 * frees even after an error. -EFAULT, -EINVAL, -E2BIG, -ENOMEM; -EDQUOT with the reason in errmsg.
 */
static int dof_copy(const struct command *c, struct dtrace_charged *dof, uint64_t addr,
		    char *errmsg, size_t len)
{
	dof_hdr_t hdr;
	int error = port_copy_in(&hdr, addr, sizeof(hdr));

	if (error)
		return error;
	if (hdr.dofh_loadsz < sizeof(hdr))
		return -EINVAL;
	if (hdr.dofh_loadsz > DTRACE_DOF_MAXSIZE)
		return -E2BIG;
	error = command_alloc(c, dof, hdr.dofh_loadsz, errmsg, len);
	return error ? error : port_copy_in(dof->p, addr, dof->size);
}

#define ERRMSG_MAX 512

/* Copy the reason of an error to the caller, cut to the caller's space. 0 or -EFAULT. */
static int errmsg_copy(const dtrace_enable_io_t *io, char *errmsg)
{
	size_t n = strlen(errmsg) + 1;

	if (!io->errmsg || !io->errmsg_len)
		return 0;
	if (n > io->errmsg_len) {
		n = io->errmsg_len;
		errmsg[n - 1] = '\0';
	}
	return port_copy_out(io->errmsg, errmsg, n);
}

/* Enable a program; errmsg gets the reason of an error. */
static int enable_dof(const struct command *c, dtrace_enable_io_t *io, char *errmsg, size_t len)
{
	struct dtrace_charged dof = {};
	int error = dof_copy(c, &dof, io->dofp, errmsg, len);

	if (error) {
		if (error != -EDQUOT)
			snprintf(errmsg, len,
				 "the DOF cannot be read from the caller's memory (error %d)",
				 error);
		dtrace_charged_free(&dof);
		return error;
	}
	c->ops->catch_up();
	error = dtrace_state_enable(c->state, dof.p, dof.size, io, errmsg, len);
	dtrace_charged_free(&dof);
	c->ops->enabled();
	return error;
}

static int cmd_enable(const struct command *c, void *arg)
{
	dtrace_enable_io_t *io = arg;
	char *errmsg = port_alloc(ERRMSG_MAX);
	int error;

	if (!errmsg)
		return -ENOMEM;
	io->error_desc = -1;
	error = enable_dof(c, io, errmsg, ERRMSG_MAX);
	if (error && errmsg_copy(io, errmsg))
		error = -EFAULT;
	port_free(errmsg);
	return error;
}

/* ---- descriptions of records ---- */

#define RECS_MAX 65536 /* descriptions copied at once */

/* Allocate capacity descriptions of records, or one; all zeros, as the engine may not fill all. */
static int recs_alloc(const struct command *c, struct dtrace_charged *recs, uint32_t capacity)
{
	return command_alloc(c, recs, (capacity ? capacity : 1) * sizeof(dtrace_recdesc_t), NULL,
			     0);
}

static int recs_copy(uint64_t to, const struct dtrace_charged *recs, uint32_t capacity, uint32_t n)
{
	return port_copy_out(to, recs->p, (n < capacity ? n : capacity) * sizeof(dtrace_recdesc_t));
}

static uint32_t recs_capacity(uint32_t asked)
{
	return asked < RECS_MAX ? asked : RECS_MAX;
}

static int cmd_eprobe(const struct command *c, void *arg)
{
	dtrace_eprobedesc_t *ep = arg;
	uint32_t capacity = recs_capacity(ep->dtepd_nrecs);
	struct dtrace_charged recs;
	int error = recs_alloc(c, &recs, capacity);

	if (!error)
		error = dtrace_state_eprobe(c->state, ep, recs.p, capacity);
	if (!error)
		error = recs_copy(ep->dtepd_recs, &recs, capacity, ep->dtepd_nrecs);
	dtrace_charged_free(&recs);
	return error;
}

static int cmd_aggdesc(const struct command *c, void *arg)
{
	dtrace_aggdesc_t *ad = arg;
	uint32_t capacity = recs_capacity(ad->dtagd_nrecs);
	struct dtrace_charged recs;
	int error = recs_alloc(c, &recs, capacity);

	if (!error)
		error = dtrace_state_aggdesc(c->state, ad, recs.p, capacity);
	if (!error)
		error = recs_copy(ad->dtagd_recs, &recs, capacity, ad->dtagd_nrecs);
	dtrace_charged_free(&recs);
	return error;
}

/* ---- snapshots ---- */

struct snapshot {
	uint64_t to;   /* the caller's address for the next chunk */
	uint64_t left; /* bytes left there */
};

#define SNAPSHOT_CHUNK (1U << 20) /* bytes that are copied at once */

/*
 * Copy a chunk of a buffer to the caller. -ENOBUFS: it has no space for it. -EFAULT. -EINTR: a
 * fatal signal is pending, which is checked after each MiB, since buffers may have gigabytes.
 */
static int snapshot_emit(void *ctx, const void *data, size_t n)
{
	struct snapshot *snap = ctx;

	if (n > snap->left)
		return -ENOBUFS;
	for (size_t done = 0, chunk; done < n; done += chunk) {
		chunk = n - done < SNAPSHOT_CHUNK ? n - done : SNAPSHOT_CHUNK;
		if (port_copy_out(snap->to, (const uint8_t *)data + done, chunk))
			return -EFAULT;
		snap->to += chunk;
		snap->left -= chunk;
		if (port_relax())
			return -EINTR;
	}
	return 0;
}

static int take_snapshot(const struct command *c, bool agg, dtrace_bufdesc_t *desc)
{
	struct snapshot snap = {.to = desc->dtbd_data, .left = desc->dtbd_size};

	return dtrace_state_snapshot(c->state, agg, desc, snapshot_emit, &snap);
}

static int cmd_bufsnap(const struct command *c, void *arg)
{
	return take_snapshot(c, false, arg);
}

static int cmd_aggsnap(const struct command *c, void *arg)
{
	return take_snapshot(c, true, arg);
}

/* ---- the table of commands ---- */

/* arg is a copy of the caller's structure, which is copied back. */
static const struct {
	unsigned int request;
	int (*run)(const struct command *c, void *arg);
} commands[] = {
	{DTRACEIOC_PROVIDER, cmd_provider},
	{DTRACEIOC_PROBES, cmd_probes},
	{DTRACEIOC_PROBEARG, cmd_probearg},
	{DTRACEIOC_ENABLE, cmd_enable},
	{DTRACEIOC_EPROBE, cmd_eprobe},
	{DTRACEIOC_AGGDESC, cmd_aggdesc},
	{DTRACEIOC_BUFSNAP, cmd_bufsnap},
	{DTRACEIOC_AGGSNAP, cmd_aggsnap},
	{DTRACEIOC_STATUS, cmd_status},
	{DTRACEIOC_CONF, cmd_conf},
	{DTRACEIOC_GO, cmd_go},
	{DTRACEIOC_STOP, cmd_stop},
	{DTRACEIOC_OPTGET, cmd_optget},
	{DTRACEIOC_POLICY, cmd_policy},
};

#define NCOMMANDS (sizeof(commands) / sizeof(commands[0]))

union command_arg {
	dtrace_providerdesc_t provider;
	dtrace_probes_io_t probes;
	dtrace_argdesc_t arg;
	dtrace_enable_io_t enable;
	dtrace_eprobedesc_t eprobe;
	dtrace_aggdesc_t agg;
	dtrace_bufdesc_t buf;
	dtrace_status_t status;
	dtrace_conf_t conf;
	dtrace_go_t go;
	dtrace_optget_t opt;
	dtrace_policy_t policy;
};

/* Carry out command i of the table with the caller's structure at address. arg: space for it. */
static int command_run(const struct command *c, unsigned int i, uint64_t address,
		       union command_arg *arg)
{
	unsigned int request = commands[i].request;
	int error;

	if ((_IOC_DIR(request) & _IOC_WRITE) && port_copy_in(arg, address, _IOC_SIZE(request)))
		return -EFAULT;
	error = commands[i].run(c, arg);
	if ((_IOC_DIR(request) & _IOC_READ) && port_copy_out(address, arg, _IOC_SIZE(request)))
		return -EFAULT;
	return error;
}

int dtrace_command(const struct dtrace_command_ops *ops, void *session, dtrace_state_t *state,
		   unsigned int request, uint64_t address)
{
	const struct command c = {ops, session, state};
	union command_arg *arg;
	unsigned int i = 0;
	int error;

	while (i < NCOMMANDS && commands[i].request != request)
		i++;
	if (i == NCOMMANDS)
		return -ENOTTY;
	arg = port_alloc(sizeof(*arg));
	if (!arg)
		return -ENOMEM;
	error = command_run(&c, i, address, arg);
	port_free(arg);
	return error;
}
