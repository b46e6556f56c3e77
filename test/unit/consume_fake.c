/* SPDX-License-Identifier: MIT */
/* consume_fake.c - a handle without a module. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <dtrace/dof.h>
#include <dtrace/fasttrap.h>
#include "consume_fake.h"

struct fake fake;
dtrace_hdl_t *dtp;
static int opened; /* descriptors before dtp */

static void recs_copy(uint64_t to, const dtrace_recdesc_t *recs, uint32_t capacity, uint32_t n)
{
	memcpy((void *)(uintptr_t)to, recs, (capacity < n ? capacity : n) * sizeof(*recs));
}

static int answer_eprobe(dtrace_eprobedesc_t *ep)
{
	uint64_t to = ep->dtepd_recs;
	uint32_t capacity = ep->dtepd_nrecs, epid = ep->dtepd_epid;

	fake.questions++;
	if (epid >= FAKE_MAX || fake.eprobes[epid].dtepd_epid != epid) {
		errno = ESRCH;
		return -1;
	}
	*ep = fake.eprobes[epid];
	recs_copy(to, fake.erecs[epid], capacity, ep->dtepd_nrecs);
	return 0;
}

static int answer_agg(dtrace_aggdesc_t *ad)
{
	uint64_t to = ad->dtagd_recs;
	uint32_t capacity = ad->dtagd_nrecs, id = ad->dtagd_id;

	fake.questions++;
	if (id >= FAKE_MAX || fake.aggs[id].dtagd_id != id) {
		errno = ESRCH;
		return -1;
	}
	*ad = fake.aggs[id];
	recs_copy(to, fake.arecs[id], capacity, ad->dtagd_nrecs);
	return 0;
}

static int answer(int error)
{
	errno = error;
	return error ? -1 : 0;
}

static int answer_aggsnap(dtrace_bufdesc_t *desc)
{
	if (desc->dtbd_cpu != 0 || !fake.snapshot)
		return answer(ENOENT);
	if (desc->dtbd_size < fake.snapshot_size)
		return answer(ENOBUFS);
	memcpy((void *)(uintptr_t)desc->dtbd_data, fake.snapshot, fake.snapshot_size);
	desc->dtbd_size = fake.snapshot_size;
	desc->dtbd_drops = fake.snapshot_drops;
	return 0;
}

static int answer_enable(dtrace_enable_io_t *io)
{
	if (fake.enable_error && fake.enable_message)
		snprintf((char *)(uintptr_t)io->errmsg, io->errmsg_len, "%s", fake.enable_message);
	io->n_matched = fake.matches;
	return answer(fake.enable_error);
}

static int fake_request(struct dt_world *world, unsigned long request, void *arg)
{
	(void)world;
	switch (request) {
	case DTRACEIOC_EPROBE:
		return answer_eprobe(arg);
	case DTRACEIOC_AGGDESC:
		return answer_agg(arg);
	case DTRACEIOC_AGGSNAP:
		return answer_aggsnap(arg);
	case DTRACEIOC_ENABLE:
		return answer_enable(arg);
	case DTRACEIOC_GO:
		*(dtrace_go_t *)arg = (dtrace_go_t){.dtgo_cpu = FAKE_CPU};
		return answer(fake.go_error);
	case DTRACEIOC_OPTGET:
		((dtrace_optget_t *)arg)->dtog_value = fake.optget_value;
		return answer(fake.optget_error);
	default:
		return answer(ENOTTY);
	}
}

static const char *fake_lacks_processes(struct dt_world *world)
{
	(void)world;
	return fake.processes ? NULL : "the test has none";
}

/* Note where the first site of a registration is. */
static int answer_register(const dtrace_ft_register_t *reg)
{
	const char *file = (const char *)(uintptr_t)reg->dtfr_helper.dofhp_dof;
	const dof_hdr_t *dof = (const void *)file;

	for (uint32_t i = 0; i < dof->dofh_secnum; i++) {
		const dof_sec_t *section =
			(const void *)(file + dof->dofh_secoff + i * dof->dofh_secsize);
		const dof_siteaddr_t *sites =
			(const void *)(file + section->dofs_offset + sizeof(dof_prsites_t));

		if (section->dofs_type == DOF_SECT_PRSITES)
			fake.site = reg->dtfr_dof + sites[0].sa_addr;
	}
	return ++fake.registrations;
}

static int fake_process(struct dt_world *world, unsigned long request, void *arg)
{
	(void)world;
	return request == DTRACEFTIOC_REGISTER ? answer_register(arg) : answer(ENOTTY);
}

static int fake_fds(struct dt_world *world, enum dt_world_news news, struct pollfd *fds, int max)
{
	(void)world;
	(void)news;
	(void)fds;
	(void)max;
	return 0;
}

static void fake_work(struct dt_world *world, dt_world_stopped_f *func, void *arg)
{
	(void)world;
	(void)func;
	(void)arg;
}

static bool fake_has_breakpoint(struct dt_world *world, uint64_t offset, const char *name)
{
	(void)world;
	(void)offset;
	(void)name;
	return false;
}

static void fake_close(struct dt_world *world)
{
	(void)world;
}

static bool fake_complaint(struct dt_world *world, pid_t *pid, char *text, size_t size)
{
	(void)world;
	(void)pid;
	(void)text;
	(void)size;
	return false;
}

static const struct dt_world_ops fake_ops = {
	.stop_points = true,
	.request = fake_request,
	.lacks_processes = fake_lacks_processes,
	.process = fake_process,
	.fds = fake_fds,
	.work = fake_work,
	.complaint = fake_complaint,
	.has_breakpoint = fake_has_breakpoint,
	.close = fake_close,
};
static struct dt_world fake_world = {.ops = &fake_ops};

/* Return how many descriptors the test has, with one for the question. */
static int descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	int n = 0;

	assert_non_null(dir);
	while (readdir(dir))
		n++;
	closedir(dir);
	return n;
}

int fake_setup(void **state)
{
	int err = 0;

	(void)state;
	opened = descriptors();
	dtp = dtrace_open(DTRACE_VERSION, DTRACE_O_NODEV, &err);
	assert_non_null(dtp);
	memset(&fake, 0, sizeof(fake));
	dtp->world = &fake_world;
	dtp->conf.dtc_ncpus = 2;
	return 0;
}

int fake_teardown(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < dtp->nstmts; i++)
		free(dtp->stmts[i]);
	dtp->nstmts = 0;
	fake_end();
	return 0;
}

void fake_end(void)
{
	dtrace_close(dtp);
	assert_int_equal(descriptors(), opened);
}

dt_stmt_t *fake_stmt(dt_stmt_kind_t kind, dt_action_t *actions, uint32_t n)
{
	dt_stmt_t *stmt = calloc(1, sizeof(*stmt));

	assert_non_null(stmt);
	stmt->kind = kind;
	stmt->actions = actions;
	stmt->nactions = n;
	stmt->id = dt_stmt_register(dtp, stmt);
	assert_int_not_equal(stmt->id, 0);
	return stmt;
}

void fake_eprobe(dtrace_epid_t epid, const char *provider, const char *func, const char *name,
		 const dtrace_recdesc_t *recs, uint32_t n, uint32_t size)
{
	dtrace_eprobedesc_t *ep = &fake.eprobes[epid];

	*ep = (dtrace_eprobedesc_t){.dtepd_epid = epid,
				    .dtepd_probeid = 100 + epid,
				    .dtepd_size = size,
				    .dtepd_nrecs = n};
	strcpy(ep->dtepd_desc.dtpd_provider, provider);
	strcpy(ep->dtepd_desc.dtpd_func, func);
	strcpy(ep->dtepd_desc.dtpd_name, name);
	for (uint32_t i = 0; i < n; i++)
		fake.erecs[epid][i] = recs[i];
}

void fake_agg(dtrace_aggid_t id, const dtrace_recdesc_t *recs, uint32_t n, uint32_t size)
{
	fake.aggs[id] = (dtrace_aggdesc_t){.dtagd_id = id, .dtagd_size = size, .dtagd_nrecs = n};
	for (uint32_t i = 0; i < n; i++)
		fake.arecs[id][i] = recs[i];
}

const char *captured(void (*print)(FILE *fp, void *arg), void *arg)
{
	static char text[65536];
	FILE *fp = fmemopen(text, sizeof(text), "w");

	assert_non_null(fp);
	*text = '\0';
	print(fp, arg);
	assert_int_equal(fclose(fp), 0);
	return text;
}
