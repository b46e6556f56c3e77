/* SPDX-License-Identifier: MIT */
/*
 * join.c - puts the agent into a process, gives it programs and DOF, and removes it.
 *
 *	image	code, readable and executable
 *	region	behind it: variables of the image, heap, arguments of calls
 *	control	a page of the session, which the process can only read
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <elf.h>
#include <asm/hwcap2.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include "../process/memory.h"
#include "../process/procfs.h"
#include "enabling.h"
#include "glob.h"
#include "descriptors.h"
#include "image.h"
#include "memfile.h"
#include "access.h"
#include "state.h"
#include "traced.h"

#define PAGE 4096ULL
#define HEAP_BASE \
	(64ULL << 20) /* bytes of the heap besides buffers; untouched pages use no memory */
/* most bytes of the heap for a site of a probe, and for an ECB */
#define HEAP_SITE 2048
#define HEAP_ECB  512
#define ARGUMENTS (128ULL << 20) /* bytes for arguments of calls: of the largest DOF, and more */
#define ATTEMPTS  8		 /* to map the image, while others map */
#define CLEARANCE (4ULL << 30)	 /* bytes between the image and what is mapped above it */

/* that the agent and the code at sites take at a time */
#define JOIN_DESCRIPTORS 4

/* Set the reason of an error. Return the error. */
static int join_fail(struct traced *t, int error, const char *what)
{
	if (error == -ENOMEM)
		return dt_why_memory(t->why, t->pid, what, t->region.size + AGENT_OWN_SIZE,
				     AGENT_OWN_SIZE);
	return dt_why_errno(t->why, error, what);
}

/* ---- the region ---- */

/* Return the address of size bytes at an offset of the region, or NULL if the range is outside. */
static void *region_at(const struct traced_region *region, uint64_t offset, uint64_t size)
{
	if (offset > region->size || size > region->size - offset)
		return NULL;
	return region->mem + offset;
}

static struct agent_head *region_head(const struct traced_region *region)
{
	return (struct agent_head *)(void *)region->mem;
}

/*
 * Return the bytes that the agent needs for the probes of a process, and for buffers with the
 * options of the session.
 */
static uint64_t heap_size(const struct traced_session *session, const struct traced *t)
{
	const uint64_t *opts = session->state->opts;
	uint64_t probes = (uint64_t)session->state->ecbs.count * HEAP_ECB;
	uint64_t slot = 4 * (opts[DTRACEOPT_BUFSIZE] + opts[DTRACEOPT_AGGSIZE]) +
			4 * opts[DTRACEOPT_NSPEC] * opts[DTRACEOPT_SPECSIZE] +
			4 * DTRACE_SCRATCHCPU + (1 << 20);

	for (const struct traced_dof *dof = t->dofs; dof; dof = dof->next)
		probes += dof->dof ? (uint64_t)dof->dof->nsites * HEAP_SITE : 0;
	return HEAP_BASE * (1 + probes / HEAP_BASE) + t->region.nslots * slot +
	       4 * opts[DTRACEOPT_DYNVARSIZE];
}

/*
 * Map the region in dtrace, at an address or where there is space. shared: MAP_SHARED, or
 * MAP_PRIVATE to read a snapshot. Return the address or MAP_FAILED.
 */
static void *region_map(const struct traced_region *region, void *at, int shared)
{
	return mmap(at, region->size, PROT_READ | PROT_WRITE,
		    shared | MAP_NORESERVE | (at ? MAP_FIXED : 0), region->fd, 0);
}

/*
 * Make the region of a process for an image with data bytes of variables, at least least bytes
 * long. Return 0 or a negative errno.
 */
static int region_make(const struct traced_session *session, struct traced *t, size_t data,
		       uint64_t least)
{
	struct traced_region *region = &t->region;
	uint64_t heap;
	int fd;

	region->nslots = session->ncpus * AGENT_SLOTS_PER_CPU;
	if (region->nslots > AGENT_SLOTS_MAX)
		region->nslots = AGENT_SLOTS_MAX;
	heap = (heap_size(session, t) + PAGE - 1) & ~(PAGE - 1);
	region->arguments = data + heap;
	region->patches = region->arguments + ARGUMENTS;
	region->numbers = region->patches + AGENT_PATCHES_MAX * sizeof(struct agent_patch);
	region->stacks = region->numbers + AGENT_NUMBERS_MAX * sizeof(uint32_t);
	region->size = region->stacks + TRACED_STACKS;
	if (region->size < least)
		region->size = least;
	region->slots = calloc(region->nslots, sizeof(*region->slots));
	if (!region->slots)
		return -ENOMEM;
	fd = dt_memfile_sealable(DT_REGION_NAME, region->size);
	if (fd < 0)
		return fd;
	region->fd = fd;
	region->mem = region_map(region, NULL, MAP_SHARED);
	if (region->mem == MAP_FAILED) {
		region->mem = NULL;
		return -errno;
	}
	return 0;
}

bool traced_region_leave(struct traced *t)
{
	struct traced_region *region = &t->region;

	if (region_map(region, region->mem, MAP_PRIVATE) == MAP_FAILED)
		return false;
	region->left = dt_memfile_leave(region->fd) ||
		       region_map(region, region->mem, MAP_SHARED) == MAP_FAILED;
	return region->left;
}

static void region_free(struct traced_region *region)
{
	if (region->mem)
		munmap(region->mem, region->size);
	if (region->fd != -1)
		close(region->fd);
	free(region->slots);
	free(region->epids);
	free(region->tables);
	*region = (struct traced_region){.fd = -1};
}

/* ---- mapping ---- */

/* Note the identity of the region's file. Forked children of the process have the same region. */
static void region_note(struct traced *t)
{
	struct stat st;

	if (fstat(t->region.fd, &st) == 0) {
		t->region_dev = st.st_dev;
		t->region_ino = st.st_ino;
	}
}

/*
 * Choose an address for size bytes. The space below libraries is left to jumps of sites (patch.c).
 * Return the address, or a negative errno.
 */
static int64_t image_choose(const struct traced *t, struct dt_remote *remote, uint64_t size)
{
	uint64_t most = size + CLEARANCE;
	int64_t at = remote->ops->map(remote, 0, most, PROT_NONE, MAP_PRIVATE | MAP_NORESERVE,
				      t->region.fd, 0);

	if (at == -ENOMEM) { /* a limit of address space */
		most = size;
		at = remote->ops->map(remote, 0, most, PROT_NONE, MAP_PRIVATE | MAP_NORESERVE,
				      t->region.fd, 0);
	}
	if (at >= 0)
		remote->ops->unmap(remote, (uint64_t)at, most);
	return at;
}

/*
 * Map the image's code and the region side by side. Another thread may map something there after
 * the choice. Return 0 or a negative errno.
 */
static int map_image(struct traced *t, struct dt_remote *remote, size_t code)
{
	struct traced_region *region = &t->region;
	uint64_t total = code + region->size;
	int64_t at = 0, rv = -EAGAIN;

	for (int i = 0; i < ATTEMPTS && rv < 0; i++) {
		int fd;

		at = image_choose(t, remote, total);
		if (at < 0)
			return (int)at;
		fd = dt_image_code((uint64_t)at, &t->entries);
		if (fd < 0)
			return fd;
		rv = remote->ops->map(remote, (uint64_t)at, code, PROT_READ | PROT_EXEC,
				      MAP_PRIVATE | MAP_FIXED_NOREPLACE, fd, 0);
		close(fd);
		if (rv >= 0) {
			rv = remote->ops->map(
				remote, (uint64_t)at + code, region->size, PROT_READ | PROT_WRITE,
				MAP_SHARED | MAP_NORESERVE | MAP_FIXED_NOREPLACE, region->fd, 0);
			if (rv < 0)
				remote->ops->unmap(remote, (uint64_t)at, code);
		}
		if (rv < 0 && rv != -EEXIST)
			return (int)rv;
	}
	if (rv < 0)
		return (int)rv;
	region->address = (uint64_t)at + code;
	dt_image_data(region->mem, (uint64_t)at);
	return 0;
}

/*
 * Map more memory behind the region of an old agent, which is too small. Return false if the memory
 * there is in use.
 */
static bool old_agent_extend(const struct traced *t, struct dt_remote *remote,
			     const struct dt_old_agent *old)
{
	const uint64_t end = old->region + old->size, more = t->region.size - old->size;
	int64_t rv = remote->ops->map(remote, end, more, PROT_NONE,
				      MAP_PRIVATE | MAP_NORESERVE | MAP_FIXED_NOREPLACE,
				      t->region.fd, 0);

	if (rv >= 0 && (uint64_t)rv != end) /* Linux before 4.17 */
		remote->ops->unmap(remote, (uint64_t)rv, more);
	return rv >= 0 && (uint64_t)rv == end;
}

/* Map the region over an old agent's region. Return 0 or a negative errno. */
static int map_region(struct traced *t, struct dt_remote *remote, const struct dt_old_agent *old)
{
	const struct traced_region *region = &t->region;
	int64_t rv = remote->ops->map(remote, old->region, region->size, PROT_READ | PROT_WRITE,
				      MAP_SHARED | MAP_NORESERVE | MAP_FIXED, region->fd, 0);

	return rv < 0 ? (int)rv : 0;
}

/*
 * Return the value of a symbol of the vDSO, 0 if there is none. All 64-bit processes have the same
 * vDSO, so dtrace's own, at base, is read.
 */
static uint64_t own_vdso_symbol(uint64_t base, const char *name)
{
	const Elf64_Ehdr *elf = (const void *)(uintptr_t)base;
	const Elf64_Phdr *ph = (const void *)(uintptr_t)(base + elf->e_phoff);
	const Elf64_Dyn *dyn = NULL;
	const Elf64_Sym *syms = NULL;
	const uint32_t *hash = NULL;
	const char *strs = NULL;

	for (int i = 0; i < elf->e_phnum; i++)
		if (ph[i].p_type == PT_DYNAMIC)
			dyn = (const void *)(uintptr_t)(base + ph[i].p_offset);
	for (; dyn && dyn->d_tag != DT_NULL; dyn++) {
		const void *at = (const void *)(uintptr_t)(base + dyn->d_un.d_ptr);

		if (dyn->d_tag == DT_SYMTAB)
			syms = at;
		else if (dyn->d_tag == DT_STRTAB)
			strs = at;
		else if (dyn->d_tag == DT_HASH)
			hash = at;
	}
	for (uint32_t i = 0; syms && strs && hash && i < hash[1]; i++)
		if (strcmp(strs + syms[i].st_name, name) == 0)
			return syms[i].st_value;
	return 0;
}

/* Return the address of the vDSO's clock_gettime in a process, 0 if there is none. */
static uint64_t vdso_clock(pid_t pid)
{
	uint64_t own = getauxval(AT_SYSINFO_EHDR), base;
	uint64_t symbol = own ? own_vdso_symbol(own, "__vdso_clock_gettime") : 0;

	return symbol && dt_auxv(pid, AT_SYSINFO_EHDR, &base) && base ? base + symbol : 0;
}

/* ---- calls ---- */

/* Call the agent. Return its result, or a negative errno with the reason in t->why. */
static int64_t agent_request(struct traced *t, struct dt_remote *remote, enum agent_call what,
			     uint64_t offset)
{
	const struct agent_head *head = region_head(&t->region);
	int64_t result;
	int error = remote->ops->call(remote, t->entries.call, what, offset, &result);

	if (error)
		return join_fail(t, error, "the agent in the process cannot be called");
	if (result == -ENOMEM && !*head->message)
		return join_fail(t, -ENOMEM, "the agent in the process cannot begin");
	if (result < 0) {
		char message[sizeof(head->message)];

		memcpy(message, head->message, sizeof(message));
		message[sizeof(message) - 1] = '\0';
		dt_why(t->why, (int)result, "the agent in the process: %.180s",
		       *message ? message : strerror((int)-result));
	}
	return result;
}

/* Give back the pages of arguments. */
static void arguments_free(struct traced_region *region)
{
	madvise(region->mem + region->arguments, ARGUMENTS, MADV_REMOVE);
}

/* Enable a program in the agent. Return 0 or a negative errno. */
static int64_t agent_enable(struct traced *t, struct dt_remote *remote,
			    const struct traced_program *program)
{
	struct traced_region *region = &t->region;
	struct agent_bytes *bytes = region_at(region, region->arguments, PAGE);
	void *dof = region_at(region, region->arguments + PAGE, program->size);

	if (!bytes || !dof)
		return -E2BIG;
	*bytes = (struct agent_bytes){.offset = region->arguments + PAGE, .size = program->size};
	memcpy(dof, program->dof, program->size);
	return agent_request(t, remote, AGENT_ENABLE, region->arguments);
}

/* Give the agent a DOF of its process. Return 0 or a negative errno. */
static int agent_add(struct traced *t, struct dt_remote *remote, struct traced_dof *dof)
{
	struct traced_region *region = &t->region;
	const uint64_t at = region->arguments + PAGE, numbers = at + (dof->size + 7) / 8 * 8;
	const size_t size = dof->dof->nsites * sizeof(struct usdt_number);
	struct agent_dof *in = region_at(region, region->arguments, PAGE);
	void *bytes = region_at(region, at, dof->size);
	struct usdt_number *number = region_at(region, numbers, size);
	int64_t rv;

	if (!in || !bytes || !number)
		return -E2BIG;
	*in = (struct agent_dof){
		.dof = {.offset = at, .size = dof->size},
		.numbers = {.offset = numbers, .size = size},
		.user = dof->user,
		.base = dof->base,
		.flags = traced_dof_flags(dof),
		.ntexts = dof->ntexts,
	};
	memcpy(in->texts, dof->texts, sizeof(in->texts));
	memcpy(in->mod, dof->mod, sizeof(in->mod));
	memcpy(bytes, dof->bytes, dof->size);
	for (uint32_t i = 0; i < dof->dof->nsites; i++)
		number[i] = (struct usdt_number){dof->dof->sites[i].probe->number,
						 dof->dof->sites[i].location->index};
	rv = agent_request(t, remote, AGENT_ADD, region->arguments);
	if (rv < 0)
		return (int)rv;
	dof->in_agent = rv;
	return 0;
}

/* Make a stop point in the agent, or remove it: number 0. Return 0 or a negative errno. */
static int agent_stop(struct traced *t, struct dt_remote *remote,
		      const struct usdt_location *location, uint32_t number)
{
	struct agent_stop *in = (void *)(t->region.mem + t->region.arguments);
	int64_t rv;

	*in = (struct agent_stop){
		.addr = location->addr, .location = location->index, .number = number};
	rv = agent_request(t, remote, AGENT_STOP, t->region.arguments);
	return rv < 0 ? (int)rv : 0;
}

int traced_join_stop(struct traced *t, struct dt_remote *remote,
		     const struct usdt_location *location)
{
	return agent_stop(t, remote, location, location->stop);
}

void traced_leave_stop(struct traced *t, struct dt_remote *remote,
		       const struct usdt_location *location)
{
	traced_sites_forget_stop(t, location);
	if (remote)
		agent_stop(t, remote, location, 0);
}

/* ---- messages of the agent ---- */

/* The ECBs of dtrace's engine. */
struct own_ecbs {
	struct agent_ecb *list;
	struct ecb_numbers *told;
	uint32_t n, *sizes;
};

static void own_ecb(void *arg, const struct usdt_ecb *ecb)
{
	struct own_ecbs *own = arg;

	if (own->list) {
		own->list[own->n] = (struct agent_ecb){
			.probe = ecb->probe, .enabling = ecb->enabling, .clause = ecb->clause};
		own->told[own->n] = ecb->ecb->told;
		own->sizes[own->n] = ecb->ecb->body->records ? ecb->ecb->body->size : 0;
		port_write_once(&ecb->ecb->recorded, true);
	}
	own->n++;
}

static int ecb_compare(const struct agent_ecb *a, const struct agent_ecb *b)
{
	if (a->probe != b->probe)
		return a->probe < b->probe ? -1 : 1;
	if (a->enabling != b->enabling)
		return a->enabling < b->enabling ? -1 : 1;
	return a->clause < b->clause ? -1 : a->clause > b->clause;
}

/* Compare indices, for qsort_r(). */
static int ecb_compare_index(const void *a, const void *b, void *arg)
{
	const struct agent_ecb *list = arg;

	return ecb_compare(&list[*(const uint32_t *)a], &list[*(const uint32_t *)b]);
}

/* Return the index in own of the same ECB; own->n if there is none. order: sorted indices. */
static uint32_t own_find(const struct own_ecbs *own, const uint32_t *order,
			 const struct agent_ecb *ecb)
{
	uint32_t low = 0, high = own->n;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (ecb_compare(&own->list[order[mid]], ecb) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low < own->n && ecb_compare(&own->list[order[low]], ecb) == 0 ? order[low] : own->n;
}

/*
 * Make space for the agent's ECBs with numbers up to largest. Old entries stay, since some records
 * with them may not have been read yet. Return 0 or -ENOMEM.
 */
static int epids_grow(struct traced_region *region, uint32_t largest)
{
	struct traced_epid *more;

	if (largest < region->nepids)
		return 0;
	more = realloc(region->epids, ((size_t)largest + 1) * sizeof(*more));
	if (!more)
		return -ENOMEM;
	memset(more + region->nepids, 0, (largest + 1 - region->nepids) * sizeof(*more));
	region->epids = more;
	region->nepids = largest + 1;
	return 0;
}

/* Write dtrace's numbers of an ECB to the region. offset: where the agent expects them. */
static void numbers_tell(const struct traced_region *region, uint64_t offset,
			 struct ecb_numbers numbers)
{
	struct ecb_numbers *there = region_at(region, offset, sizeof(*there));

	if (!there || offset % sizeof(numbers.epid))
		return;
	__atomic_store_n(&there->epid, numbers.epid, __ATOMIC_RELAXED);
	__atomic_store_n(&there->id, numbers.id, __ATOMIC_RELAXED);
}

/*
 * Pair the agent's n ECBs in theirs with dtrace's. limit: upper bound of the agent's numbers.
 * dtrace's engine has made all ECBs that the agent's engine has. Return 0 or -ENOMEM.
 */
static int ecbs_pair(struct traced_region *region, const struct own_ecbs *own,
		     const struct agent_ecb *theirs, uint32_t n, uint32_t limit)
{
	uint32_t *order = malloc((own->n + 1) * sizeof(*order)), largest = 0;

	for (uint32_t i = 0; i < n; i++)
		if (theirs[i].epid > largest && theirs[i].epid <= limit)
			largest = theirs[i].epid;
	if (!order || epids_grow(region, largest) != 0) {
		free(order);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < own->n; i++)
		order[i] = i;
	qsort_r(order, own->n, sizeof(*order), ecb_compare_index, own->list);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t mine = own_find(own, order, &theirs[i]);

		if (mine == own->n || theirs[i].epid > largest)
			continue;
		region->epids[theirs[i].epid] = (struct traced_epid){.epid = own->told[mine].epid,
								     .size = own->sizes[mine]};
		numbers_tell(region, theirs[i].told, own->told[mine]);
	}
	free(order);
	return 0;
}

/* Read the agent's ECBs. Return 0 or a negative errno. */
static int ecbs_learn(struct traced_session *session, struct traced *t)
{
	const struct agent_head *head = region_head(&t->region);
	uint32_t n = __atomic_load_n(&head->necbs, __ATOMIC_RELAXED);
	const struct agent_ecb *there =
		region_at(&t->region, __atomic_load_n(&head->ecbs, __ATOMIC_RELAXED),
			  n * sizeof(struct agent_ecb));
	struct agent_ecb *theirs;
	struct own_ecbs own = {0};
	int error = -ENOMEM;

	/* dtrace's engine has an ECB for each of the agent's. */
	if (!there || n > session->state->next_epid)
		return join_fail(t, -EINVAL, "the agent in the process tells nonsense");
	theirs = malloc(n * sizeof(*theirs) + 1);
	usdt_each_ecb(&t->usdt, session->state, own_ecb, &own);
	own.list = malloc(own.n * sizeof(*own.list) + 1);
	own.told = malloc(own.n * sizeof(*own.told) + 1);
	own.sizes = malloc(own.n * sizeof(*own.sizes) + 1);
	if (theirs && own.list && own.told && own.sizes) {
		memcpy(theirs, there, n * sizeof(*theirs));
		own.n = 0;
		usdt_each_ecb(&t->usdt, session->state, own_ecb, &own);
		error = ecbs_pair(&t->region, &own, theirs, n, session->state->next_epid);
	}
	free(theirs);
	free(own.list);
	free(own.told);
	free(own.sizes);
	return error;
}

/*
 * Read and check the offsets of the agent's session and slots, once. Return 0 or a negative errno.
 */
static int learn_state(struct traced *t)
{
	struct traced_region *region = &t->region;
	const struct agent_head *head = region_head(region);

	region->activity = __atomic_load_n(&head->activity, __ATOMIC_RELAXED);
	region->exited = __atomic_load_n(&head->exited, __ATOMIC_RELAXED);
	region->cpus = __atomic_load_n(&head->cpus, __ATOMIC_RELAXED);
	if (region->activity % 4 || region->cpus % 8 || !region_at(region, region->activity, 4) ||
	    !region_at(region, region->exited, 1) ||
	    !region_at(region, region->cpus, region->nslots * sizeof(struct state_cpu)))
		return join_fail(t, -EINVAL, "the agent in the process tells nonsense");
	return 0;
}

/* Return the number by which agents see that the session lives. */
static uint32_t session_leader(const struct traced_session *session)
{
	return *(const uint32_t *)(const void *)session->leader;
}

/* ---- join and leave ---- */

bool traced_is_named(const struct traced_session *session, pid_t pid)
{
	char number[16];
	size_t len = (size_t)snprintf(number, sizeof(number), "%d", (int)pid);
	struct link *l;

	link_for_each(l, &session->state->enablings) {
		const struct enabling *en = link_entry(l, struct enabling, link);

		for (uint32_t i = 0; i < en->nclauses; i++) {
			const char *provider = en->clauses[i].desc.dtpd_provider;
			size_t n = strlen(provider);

			if (n > len && strcmp(provider + n - len, number) == 0 &&
			    glob_is_literal(provider))
				return true;
		}
	}
	return false;
}

/* Note an ECB that runs in forked children too. A callback of usdt_each_ecb(). */
static void child_ecb(void *arg, const struct usdt_ecb *ecb)
{
	*(bool *)arg |= ecb->probe != UINT32_MAX && !ecb->ecb->alone;
}

/*
 * Note whether forked children are traced by their parent's probes: if the session follows forks,
 * or if a description means all processes of a kind. ECBs of descriptions that name this process
 * do not run in them.
 */
static void children_note(const struct traced_session *session, struct traced *t)
{
	bool children = session->state->opts[DTRACEOPT_FOLLOWFORK] == 1 ||
			!traced_is_named(session, t->pid);

	usdt_each_ecb(&t->usdt, session->state, child_ecb, &children);
	region_head(&t->region)->children = t->region.children = children;
}

/* Fill in the head before the agent begins. */
static void head_fill(const struct traced_session *session, struct traced *t, uint64_t control,
		      int64_t variables, size_t data)
{
	struct agent_head *head = region_head(&t->region);
	uid_t owner;

	head->size = t->region.size;
	head->heap = data;
	head->heap_end = t->region.arguments;
	head->clock = vdso_clock(t->pid);
	head->tick = session->tick;
	head->control = control;
	head->variables = (uint64_t)variables;
	head->variables_size = session->variables.shared.size;
	head->dynvarsize = session->variables.shared.dynvarsize;
	head->seed = session->variables.shared.seed;
	port_secret(&head->random, sizeof(head->random));
	head->process = t->number;
	head->leader = session_leader(session);
	head->fs = getauxval(AT_HWCAP2) & HWCAP2_FSGSBASE ? AGENT_FS_INSTR : AGENT_FS_UNKNOWN;
	head->patches = t->region.patches;
	head->numbers = t->region.numbers;
	head->ncpus = t->region.nslots / AGENT_SLOTS_PER_CPU;
	head->nslots = t->region.nslots;
	head->pid = (uint32_t)t->pid;
	head->uid = dt_proc_owner(t->pid, &owner) == 0 ? owner : 0;
	head->zone = dt_proc_namespace(t->pid);
	children_note(session, t);
	memcpy(head->ancestors, t->usdt.ancestors, sizeof(head->ancestors));
	__atomic_store_n(&head->magic, AGENT_MAGIC, __ATOMIC_RELEASE);
}

/* Let the mapped agent begin, with all programs and DOF. Return 0 or a negative errno. */
static int agent_begin(struct traced_session *session, struct traced *t, struct dt_remote *remote)
{
	int64_t rv = agent_request(t, remote, AGENT_START, 0);

	for (struct traced_program *p = session->programs; p && rv >= 0; p = p->next)
		rv = agent_enable(t, remote, p);
	for (struct traced_dof *dof = t->dofs; dof && rv >= 0; dof = dof->next)
		rv = agent_add(t, remote, dof);
	if (rv >= 0)
		rv = traced_stops_join(t, remote, true);
	if (rv >= 0)
		rv = agent_request(t, remote, AGENT_JOIN, 0);
	arguments_free(&t->region);
	if (rv < 0)
		return (int)rv;
	rv = learn_state(t);
	return rv ? (int)rv : ecbs_learn(session, t);
}

/* Write the session's activity to its state in the process. */
static void activity_set(struct traced *t, uint32_t activity)
{
	uint32_t *there = (void *)(t->region.mem + t->region.activity);

	__atomic_store_n(there, activity, __ATOMIC_RELEASE);
}

/* Make a forked child leave the agent of its parent. Return 0 or a negative errno. */
static int parent_leave(const struct traced *parent, struct dt_remote *remote)
{
	int64_t result;
	int error = remote->ops->call(remote, parent->entries.call, AGENT_LEAVE, 0, &result);

	return error ? error : (int)result;
}

/*
 * Map the agent, or replace an old agent. Then the control page and the region are replaced at the
 * same addresses, so that threads within the agent's code always find them. Return 0, or a negative
 * errno, with a reason if it is not only that the agent cannot be mapped.
 */
static int agent_map(struct traced_session *session, struct traced *t, struct dt_remote *remote,
		     struct dt_old_agent *old)
{
	int64_t control, variables = 0;
	size_t code, data;
	int error;

	if (!dt_image_sizes(&code, &data))
		return join_fail(t, -ENOTSUP, "dtrace was built without the agent");
	error = region_make(session, t, data, old->size);
	if (!error && old->size && t->region.size > old->size && !old_agent_extend(t, remote, old))
		*old = (struct dt_old_agent){0};
	if (!error && !old->size)
		error = map_image(t, remote, code);
	if (error)
		return error;
	control = remote->ops->map(remote, old->control, PAGE, PROT_READ,
				   MAP_SHARED | (old->control ? MAP_FIXED : 0), session->control_fd,
				   0);
	if (control < 0)
		return (int)control;
	variables = dt_variables_map(&session->variables, remote, &t->number);
	if (variables < 0)
		return join_fail(t, (int)variables, "the variables cannot be mapped");
	if (old->size) {
		t->entries = old->entries;
		t->region.address = old->region;
		dt_image_data(t->region.mem, old->image);
		region_head(&t->region)->own = old->own;
	}
	head_fill(session, t, (uint64_t)control, variables, data);
	return old->size ? map_region(t, remote, old) : 0;
}

/*
 * Give up an agent that could not begin. A new agent is unmapped, since only calls have run its
 * code. An old agent stays for the next session.
 */
static void agent_drop(struct traced_session *session, struct traced *t, struct dt_remote *remote,
		       bool new)
{
	const struct agent_head *head = region_head(&t->region);
	size_t code, data;

	if (t->region.mem && t->region.address && new &&
	    !head->calls &&dt_image_sizes(&code, &data)) {
		if (head->control)
			remote->ops->unmap(remote, head->control, PAGE);
		if (head->variables)
			dt_variables_unmap(&session->variables, remote, (int64_t)head->variables);
		if (head->own)
			remote->ops->unmap(remote, head->own, AGENT_OWN_SIZE);
		remote->ops->unmap(remote, t->region.address - code, code + t->region.size);
	} else if (t->region.mem) {
		region_head(&t->region)->leader = 0;
	}
	region_free(&t->region);
	close(t->memory);
	t->memory = -1;
}

/* Note why the agent cannot be mapped, and return the error. */
static int map_fail(struct traced *t, int error)
{
	if (error == -EACCES)
		return dt_why(t->why, error,
			      "a security module, such as SELinux, forbids the process to map or "
			      "execute memory of dtrace");
	return join_fail(t, error, "the agent cannot be mapped");
}

int traced_join(struct traced_session *session, struct traced *t, struct dt_remote *remote,
		enum dt_takeover_how how)
{
	const struct traced *parent = traced_parent(session, t->pid);
	struct dt_old_agent old = {0};
	int error = 0;

	*t->why = '\0';
	error = dt_descriptors_check(JOIN_DESCRIPTORS);
	if (error)
		return map_fail(t, error);
	t->memory = remote->ops->memory(remote);
	if (t->memory < 0)
		return join_fail(t, t->memory, "its memory cannot be opened");
	if (parent)
		error = parent_leave(parent, remote);
	if (error)
		join_fail(t, error, "the agent of its parent cannot be called");
	else
		error = dt_takeover(remote, t->memory, session_leader(session), how, &old, t->why);
	if (!error)
		error = agent_map(session, t, remote, &old);
	if (!error)
		error = agent_begin(session, t, remote);
	if (error) {
		if (!*t->why)
			map_fail(t, error);
		agent_drop(session, t, remote, !old.size);
		return error;
	}
	region_note(t);
	activity_set(t, session->state->activity);
	t->variables = &session->variables;
	t->joined = true;
	t->nchildren = 0;
	traced_filters_begin(t);
	traced_unwind_begin(session, t);
	if (parent)
		traced_sites_restore(parent, t->pid, t->memory);
	error = traced_sites_prepare(t, remote);
	return error ? join_fail(t, error, "its sites cannot get code") : 0;
}

int traced_join_dof(struct traced_session *session, struct traced *t, struct dt_remote *remote,
		    struct traced_dof *dof)
{
	int error;

	children_note(session, t);
	error = agent_add(t, remote, dof);
	arguments_free(&t->region);
	if (!error)
		error = ecbs_learn(session, t);
	if (!error)
		error = traced_sites_prepare(t, remote);
	return error;
}

void traced_activity(struct traced_session *session, uint32_t activity)
{
	for (struct traced *t = session->processes; t; t = t->next)
		if (t->joined)
			activity_set(t, activity);
}

/*
 * Free the memory of an agent that stays mapped because a thread may be within its code. Later
 * threads find no location in the empty heap, and go on. While all slots are taken, no thread is
 * within the heap.
 */
static void region_empty(const struct traced *t)
{
	uint32_t taken = 0;
	uint64_t heap = region_head(&t->region)->heap;

	while (taken < t->region.nslots && traced_slot_lock(t, taken))
		taken++;
	if (taken == t->region.nslots && heap < t->region.size)
		fallocate(t->region.fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)heap,
			  (off_t)(t->region.size - heap));
	while (taken)
		traced_slot_unlock(t, --taken);
}

void traced_leave(struct traced *t)
{
	if (!t->joined)
		return;
	activity_set(t, DTRACE_ACTIVITY_STOPPED);
	traced_sites_end(t);
	traced_stops_go(t);
	if (!t->region.left)
		region_empty(t);
	region_free(&t->region);
	if (t->memory >= 0)
		close(t->memory);
	t->memory = -1;
	t->joined = false;
}

void traced_leave_dof(struct traced *t, struct dt_remote *remote, struct traced_dof *dof)
{
	traced_sites_forget(t, dof->dof);
	if (remote && dof->in_agent >= 0)
		agent_request(t, remote, AGENT_REMOVE, (uint64_t)dof->in_agent);
}
