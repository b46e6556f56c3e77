/* SPDX-License-Identifier: MIT */
/*
 * sample.c - samples of the user's running threads, by perf events.
 *
 * A probe has an event for each thread and each CPU, which the children of the thread inherit. All
 * events of a CPU write to one ring. A thread of the library reads the rings.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "../process/procfs.h"
#include "engine.h"
#include "sample.h"

#define STACK_BYTES    16384 /* of each sample */
#define RING_PAGES     128   /* what perf_event_mlock_kb lets a user have by default */
#define RING_PAGES_MIN 16

struct ring {
	int fd; /* of a dummy event, which owns the ring; -1: no such CPU */
	struct perf_event_mmap_page *page;
	char *data;
	uint64_t size; /* of data */
};

static struct {
	/*
	 * Taken after the engine's lock, and before that of a CPU. It protects the probes, and is
	 * held while they fire.
	 */
	pthread_mutex_t lock;
	struct sample_probe *probes;
	/* exist while there are probes; changed with the engine's lock: */
	struct ring *rings; /* by CPU */
	unsigned int nrings;
	bool no_kernel; /* the user may not sample code of the kernel */
	pthread_t thread;
	int stop;					       /* an eventfd */
	char copy[UINT16_MAX + 1] __attribute__((aligned(8))); /* used by the thread */
} sampling = {.lock = PTHREAD_MUTEX_INITIALIZER, .stop = -1};

static _Thread_local const struct sample *current_sample;

const struct sample *dt_sample_current(void)
{
	return current_sample;
}

/* ---- maps ---- */

struct sample_maps {
	struct sample_maps *next;
	const void *owner;
	uint32_t pid;
	struct dtrace_unwind_table *tables;
	struct dtrace_unwind_maps *maps;
};

/* The lock is taken after all others. It protects the list and the missing processes. */
static pthread_mutex_t maps_lock = PTHREAD_MUTEX_INITIALIZER;
static struct sample_maps *maps_list; /* the newest first */
static uint32_t maps_missing[DTRACE_UNWIND_MAXMISSING];
static uint32_t nmaps_missing;
static bool maps_kept; /* there are probes */

static void maps_free(struct sample_maps *maps)
{
	free(maps->tables);
	free(maps->maps);
	free(maps);
}

/*
 * Drop the maps of an owner (NULL: any) and of a process (0: any), and all maps after the first
 * DTRACE_UNWIND_MAXPROCS - 1.
 */
static void maps_drop(const void *owner, uint32_t pid)
{
	struct sample_maps **at = &maps_list;
	uint32_t n = 0;

	while (*at) {
		struct sample_maps *maps = *at;

		if (((!owner || maps->owner == owner) && (!pid || maps->pid == pid)) ||
		    n == DTRACE_UNWIND_MAXPROCS - 1) {
			*at = maps->next;
			maps_free(maps);
		} else {
			at = &maps->next;
			n++;
		}
	}
}

static struct sample_maps *maps_make(const void *owner, const dtrace_unwind_process_t *process,
				     const struct dtrace_unwind_table *tables)
{
	const dtrace_unwind_mapping_t *from = (const void *)(uintptr_t)process->dtup_maps;
	struct sample_maps *maps = calloc(1, sizeof(*maps));
	uint32_t n = process->dtup_nmaps;

	if (!maps)
		return NULL;
	maps->owner = owner;
	maps->pid = (uint32_t)process->dtup_pid;
	maps->tables = malloc(n * sizeof(*tables) + 1);
	maps->maps = malloc(sizeof(*maps->maps) + n * sizeof(maps->maps->list[0]));
	if (!maps->tables || !maps->maps) {
		maps_free(maps);
		return NULL;
	}
	if (n)
		memcpy(maps->tables, tables, n * sizeof(*tables));
	maps->maps->n = n;
	for (uint32_t i = 0; i < n; i++)
		maps->maps->list[i] = (struct dtrace_unwind_map){
			.start = from[i].dtum_start,
			.end = from[i].dtum_end,
			.bias = from[i].dtum_bias,
			.table = from[i].dtum_table >= 0 ? &maps->tables[i] : NULL};
	return maps;
}

bool dt_sample_maps(const void *owner, const dtrace_unwind_process_t *process,
		    const struct dtrace_unwind_table *tables)
{
	struct sample_maps *maps = NULL;
	bool kept;

	pthread_mutex_lock(&maps_lock);
	kept = maps_kept;
	if (kept)
		maps = maps_make(owner, process, tables);
	if (maps) {
		maps_drop(NULL, maps->pid);
		maps->next = maps_list;
		maps_list = maps;
	}
	pthread_mutex_unlock(&maps_lock);
	return kept;
}

void dt_sample_forget(const void *owner)
{
	pthread_mutex_lock(&maps_lock);
	maps_drop(owner, 0);
	pthread_mutex_unlock(&maps_lock);
}

/* Keep maps from now on, or drop all. */
static void maps_keep(bool keep)
{
	pthread_mutex_lock(&maps_lock);
	maps_kept = keep;
	nmaps_missing = 0;
	if (!keep)
		maps_drop(NULL, 0);
	pthread_mutex_unlock(&maps_lock);
}

/* Note that the maps of a process are missing. Called with maps_lock. */
static void maps_note_missing(uint32_t pid)
{
	for (uint32_t i = 0; i < nmaps_missing; i++)
		if (maps_missing[i] == pid)
			return;
	if (nmaps_missing < DTRACE_UNWIND_MAXMISSING)
		maps_missing[nmaps_missing++] = pid;
}

static bool is_missing(const dtrace_unwind_missing_t *missing, uint32_t pid)
{
	for (uint32_t i = 0; i < missing->dtmi_n; i++)
		if ((uint32_t)missing->dtmi_pids[i] == pid)
			return true;
	return false;
}

void dt_sample_missing(dtrace_unwind_missing_t *missing)
{
	pthread_mutex_lock(&maps_lock);
	while (nmaps_missing && missing->dtmi_n < DTRACE_UNWIND_MAXMISSING) {
		uint32_t pid = maps_missing[--nmaps_missing];

		if (!is_missing(missing, pid))
			missing->dtmi_pids[missing->dtmi_n++] = (int32_t)pid;
	}
	pthread_mutex_unlock(&maps_lock);
}

/* ---- stacks ---- */

/* The registers of a sample by DWARF's numbers. */
static const uint8_t dwarf_order[8] = {SAMPLE_AX, SAMPLE_DX, SAMPLE_CX, SAMPLE_BX,
				       SAMPLE_SI, SAMPLE_DI, SAMPLE_BP, SAMPLE_SP};

int dt_sample_ustack(const struct sample *sample, uint64_t *pcs, uint64_t *fps, unsigned int n,
		     bool tables)
{
	struct dtrace_unwind_regs regs = {.pc = sample->regs[SAMPLE_IP], .word = sample->word};
	const struct sample_maps *maps;
	unsigned int found;
	bool stray;

	if (!sample->word)
		return -EFAULT;
	for (unsigned int i = 0; i < 8; i++)
		regs.regs[i] = sample->regs[dwarf_order[i]];
	if (sample->word == 8)
		memcpy(&regs.regs[8], &sample->regs[SAMPLE_R8], 8 * sizeof(uint64_t));
	if (!tables)
		return (int)dtrace_unwind(NULL, &regs, pcs, fps, n, &stray);
	pthread_mutex_lock(&maps_lock);
	for (maps = maps_list; maps && maps->pid != sample->pid;)
		maps = maps->next;
	found = dtrace_unwind(maps ? maps->maps : NULL, &regs, pcs, fps, n, &stray);
	if (!maps || stray)
		maps_note_missing(sample->pid);
	pthread_mutex_unlock(&maps_lock);
	return (int)found;
}

/* ---- firing, in the thread ---- */

static int id_compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Return the probe of an event, or NULL. Called with the lock. */
static struct sample_probe *probe_of(uint64_t id)
{
	for (struct sample_probe *p = sampling.probes; p; p = p->next)
		if (bsearch(&id, p->ids, p->nfds, sizeof(id), id_compare))
			return p;
	return NULL;
}

/* Count samples that the kernel has lost. Called with the lock. */
static void count_missed(struct sample_probe *only, uint64_t n)
{
	unsigned long flags = port_fire_enter();

	for (struct sample_probe *p = sampling.probes; p; p = p->next)
		for (uint64_t i = 0; i < n && (!only || p == only); i++)
			dtrace_fire_missed(p->probe);
	port_fire_exit(flags);
}

/* Fire for a sample, unless its process has ended. Called with the lock. */
static void fire_sample(const struct sample *sample)
{
	struct sample_probe *probe = probe_of(sample->id);
	uint64_t now = port_timestamp();
	uint64_t args[3] = {sample->kernel ? sample->ip : 0, sample->kernel ? 0 : sample->ip,
			    now > sample->time ? now - sample->time : 0};
	struct dtrace_fire fire = {
		.args = args, .nargs = 3, .regs = sample, .user = !sample->kernel};
	uid_t uid;

	if (!probe)
		return;
	if (!sample->pid || sample->pid > INT32_MAX ||
	    dt_proc_owner((pid_t)sample->pid, &uid) != 0) {
		count_missed(probe, 1);
		return;
	}
	current_sample = sample;
	dtrace_fire_timed(probe->probe, &fire, false);
	current_sample = NULL;
}

/* The contents of a PERF_RECORD_LOST after its header. */
struct lost {
	uint64_t id, n;
};

/* Handle a record. Called with the lock. */
static void handle_record(const struct perf_event_header *record)
{
	struct sample sample;
	struct lost lost;

	switch (record->type) {
	case PERF_RECORD_SAMPLE:
		if (sample_parse(record, &sample))
			fire_sample(&sample);
		else
			count_missed(NULL, 1);
		break;
	case PERF_RECORD_LOST:
		if (record->size < sizeof(*record) + sizeof(lost))
			break;
		memcpy(&lost, record + 1, sizeof(lost));
		count_missed(probe_of(lost.id), lost.n);
		break;
	case PERF_RECORD_THROTTLE:
		count_missed(NULL, 1);
		break;
	default:
		break;
	}
}

static void drain(const struct ring *ring, unsigned int cpu)
{
	uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
	uint64_t tail = ring->page->data_tail;
	const struct perf_event_header *record;

	port_user_set_cpu(cpu);
	while (tail != head) {
		if (sample_next(ring->data, ring->size, head, &tail, sampling.copy, &record)) {
			pthread_mutex_lock(&sampling.lock);
			handle_record(record);
			pthread_mutex_unlock(&sampling.lock);
		}
		__atomic_store_n(&ring->page->data_tail, tail, __ATOMIC_RELEASE);
	}
}

static void *sample_thread(void *arg)
{
	struct pollfd *fds = arg;

	fds[sampling.nrings] = (struct pollfd){.fd = sampling.stop, .events = POLLIN};
	for (unsigned int cpu = 0; cpu < sampling.nrings; cpu++)
		fds[cpu] = (struct pollfd){.fd = sampling.rings[cpu].fd, .events = POLLIN};
	do {
		poll(fds, sampling.nrings + 1, -1);
		for (unsigned int cpu = 0; cpu < sampling.nrings; cpu++) {
			if (sampling.rings[cpu].page)
				drain(&sampling.rings[cpu], cpu);
			/*
			 * The main thread has ended: the other rings and the clock wake this
			 * thread.
			 */
			if (fds[cpu].revents & POLLHUP)
				usleep(1000);
		}
	} while (!fds[sampling.nrings].revents);
	free(fds);
	return NULL;
}

/* ---- events ---- */

static struct perf_event_attr sample_attr(uint64_t interval)
{
	return (struct perf_event_attr){
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(struct perf_event_attr),
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = interval,
		.sample_type = SAMPLE_TYPE,
		.inherit = 1,
		.exclude_kernel = sampling.no_kernel,
		.exclude_hv = 1,
		.wakeup_events = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		.sample_regs_user = SAMPLE_REGS,
		.sample_stack_user = STACK_BYTES,
	};
}

/* Open an event. Return its descriptor or a negative errno. */
static int event_open(const struct perf_event_attr *attr, pid_t tid, int cpu)
{
	long fd = syscall(SYS_perf_event_open, attr, tid, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	return fd == -1 ? -errno : (int)fd;
}

int dt_sample_check(void)
{
	struct perf_event_attr attr = sample_attr(1000000000);
	int fd;

	attr.exclude_kernel = 0;
	fd = event_open(&attr, 0, -1);
	sampling.no_kernel = fd == -EACCES || fd == -EPERM;
	if (sampling.no_kernel) {
		attr.exclude_kernel = 1;
		fd = event_open(&attr, 0, -1);
	}
	if (fd >= 0)
		close(fd);
	return fd >= 0 || fd == -EMFILE ? 0 : -DTRACE_REFUSED_SAMPLES;
}

/*
 * Raise the limit of descriptors to its maximum. Return the old limit. The events get numbers above
 * it, so that it can be restored.
 */
static struct rlimit limit_raise(void)
{
	struct rlimit old, most;

	getrlimit(RLIMIT_NOFILE, &old);
	most = (struct rlimit){.rlim_cur = old.rlim_max, .rlim_max = old.rlim_max};
	setrlimit(RLIMIT_NOFILE, &most);
	return old;
}

/*
 * Move a descriptor to a number that is not below the limit, if the maximum permits such numbers.
 */
static int fd_lift(int fd, const struct rlimit *limit)
{
	int high = limit->rlim_cur < limit->rlim_max
			   ? fcntl(fd, F_DUPFD_CLOEXEC, (int)limit->rlim_cur)
			   : -1;

	if (high == -1)
		return fd;
	close(fd);
	return high;
}

/* Add an event for a thread on a CPU to a probe. Return 0 or a negative errno. */
static int probe_add(struct sample_probe *probe, const struct perf_event_attr *attr, pid_t tid,
		     unsigned int cpu, const struct rlimit *limit)
{
	int fd;

	if (probe->nfds == probe->capacity) {
		size_t capacity = probe->capacity ? probe->capacity * 2 : 64;
		int *fds = realloc(probe->fds, capacity * sizeof(*fds));
		uint64_t *ids;

		if (!fds)
			return -ENOMEM;
		probe->fds = fds;
		ids = realloc(probe->ids, capacity * sizeof(*ids));
		if (!ids)
			return -ENOMEM;
		probe->ids = ids;
		probe->capacity = capacity;
	}
	fd = event_open(attr, tid, (int)cpu);
	if (fd < 0) /* the thread has ended, or may not be traced */
		return fd == -ESRCH || fd == -EACCES || fd == -EPERM || fd == -ENODEV ? 0 : fd;
	fd = fd_lift(fd, limit);
	if (ioctl(fd, PERF_EVENT_IOC_ID, &probe->ids[probe->nfds]) == -1 ||
	    ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, sampling.rings[cpu].fd) == -1) {
		int error = -errno;

		close(fd);
		return error;
	}
	probe->fds[probe->nfds++] = fd;
	return 0;
}

static int probe_add_process(struct sample_probe *probe, const struct perf_event_attr *attr,
			     pid_t pid, const struct rlimit *limit)
{
	DIR *threads = dt_proc_list(pid);
	int error = 0;
	pid_t tid;

	while (!error && (tid = dt_proc_next(threads)))
		for (unsigned int cpu = 0; cpu < sampling.nrings && !error; cpu++)
			if (sampling.rings[cpu].fd != -1)
				error = probe_add(probe, attr, tid, cpu, limit);
	dt_proc_end(threads);
	return error;
}

/* Add events for all threads of the user. */
static int probe_add_all(struct sample_probe *probe, const struct rlimit *limit)
{
	struct perf_event_attr attr = sample_attr(probe->interval);
	DIR *processes = dt_proc_list(0);
	int error = processes ? 0 : -errno;
	pid_t pid;
	uid_t uid;

	while (!error && (pid = dt_proc_next(processes)))
		if (dt_proc_owner(pid, &uid) == 0 && uid == geteuid())
			error = probe_add_process(probe, &attr, pid, limit);
	dt_proc_end(processes);
	return error;
}

static void probe_close(struct sample_probe *probe)
{
	for (size_t i = 0; i < probe->nfds; i++)
		close(probe->fds[i]);
	free(probe->fds);
	free(probe->ids);
	probe->fds = NULL;
	probe->ids = NULL;
	probe->nfds = probe->capacity = 0;
}

/* ---- rings ---- */

/*
 * Open the ring of a CPU, and map it as large as the kernel allows. Return 0, also if there is no
 * such CPU, or a negative errno.
 */
static int ring_open(struct ring *ring, unsigned int cpu, const struct rlimit *limit)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct perf_event_attr attr = sample_attr(0);

	attr.config = PERF_COUNT_SW_DUMMY;
	attr.inherit = 0;
	ring->fd = event_open(&attr, getpid(), (int)cpu);
	if (ring->fd == -ENODEV || ring->fd == -EINVAL) {
		ring->fd = -1;
		return 0;
	}
	if (ring->fd < 0) {
		int error = ring->fd;

		ring->fd = -1;
		return error;
	}
	ring->fd = fd_lift(ring->fd, limit);
	for (size_t pages = RING_PAGES; pages >= RING_PAGES_MIN; pages /= 2) {
		void *mem = mmap(NULL, (pages + 1) * page, PROT_READ | PROT_WRITE, MAP_SHARED,
				 ring->fd, 0);

		if (mem == MAP_FAILED)
			continue;
		ring->page = mem;
		ring->data = (char *)mem + page;
		ring->size = pages * page;
		return 0;
	}
	return -errno;
}

static void rings_close(void)
{
	for (unsigned int cpu = 0; cpu < sampling.nrings; cpu++) {
		struct ring *ring = &sampling.rings[cpu];

		if (ring->page)
			munmap(ring->page, ring->size + (size_t)(ring->data - (char *)ring->page));
		if (ring->fd != -1)
			close(ring->fd);
	}
	free(sampling.rings);
	sampling.rings = NULL;
	sampling.nrings = 0;
	if (sampling.stop != -1)
		close(sampling.stop);
	sampling.stop = -1;
}

/* Start the thread that reads the rings, with all signals blocked. */
static int thread_start(void)
{
	struct pollfd *fds = calloc(sampling.nrings + 1, sizeof(*fds));
	sigset_t all, before;
	int error;

	if (!fds)
		return -ENOMEM;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	error = pthread_create(&sampling.thread, NULL, sample_thread, fds);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (error)
		free(fds);
	return -error;
}

static int rings_open(const struct rlimit *limit)
{
	unsigned int n = port_ncpus();
	int error = 0;

	sampling.stop = eventfd(0, EFD_CLOEXEC);
	sampling.rings = calloc(n, sizeof(*sampling.rings));
	if (sampling.stop == -1 || !sampling.rings) {
		error = -ENOMEM;
	} else {
		while (sampling.nrings < n)
			sampling.rings[sampling.nrings++].fd = -1;
		for (unsigned int cpu = 0; cpu < n && !error; cpu++)
			error = ring_open(&sampling.rings[cpu], cpu, limit);
	}
	if (!error)
		error = thread_start();
	if (error)
		rings_close();
	else
		maps_keep(true);
	return error;
}

/* ---- start and stop ---- */

static void rings_end(void)
{
	uint64_t one = 1;

	while (write(sampling.stop, &one, sizeof(one)) == -1 && errno == EINTR)
		;
	pthread_join(sampling.thread, NULL);
	rings_close();
	maps_keep(false);
}

int dt_sample_start(struct sample_probe *probe)
{
	struct rlimit limit = limit_raise();
	int error = sampling.rings ? 0 : rings_open(&limit);

	if (!error) {
		error = probe_add_all(probe, &limit);
		if (error)
			probe_close(probe);
		if (error && !sampling.probes)
			rings_end();
	}
	setrlimit(RLIMIT_NOFILE, &limit);
	if (error)
		return error;
	pthread_mutex_lock(&sampling.lock);
	probe->next = sampling.probes;
	sampling.probes = probe;
	pthread_mutex_unlock(&sampling.lock);
	return 0;
}

void dt_sample_stop(struct sample_probe *probe)
{
	struct sample_probe **at = &sampling.probes;

	pthread_mutex_lock(&sampling.lock);
	while (*at && *at != probe)
		at = &(*at)->next;
	if (*at)
		*at = probe->next;
	pthread_mutex_unlock(&sampling.lock);
	probe_close(probe);
	if (!sampling.probes && sampling.rings)
		rings_end();
}
