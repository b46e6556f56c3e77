/* SPDX-License-Identifier: MIT */
/*
 * agent.c - the agent in a traced process: calls of dtrace, and hits.
 *
 * dtrace makes one call at a time, in a thread that it has stopped, or in the start-up object's
 * constructor. Other threads may hit sites meanwhile.
 */
#include <linux/mman.h>
#include <asm/unistd.h>
#include <sys/reg.h>
#include "impl.h"
#include "enabling.h"
#include "fire.h"
#include "speculation.h"
#include "state.h"
#include "vtime.h"

/* Symbols of agent.ld and hit.S. */
extern const char agent_hit_entry[], agent_call_entry[], agent_trap[];

__attribute__((section(".head"))) struct agent_head agent_head = {0};

__attribute__((section(".image"), used)) static const struct agent_image agent_image = {
	.magic = AGENT_MAGIC,
	.head = (uint64_t)&agent_head,
	.hit = (uint64_t)agent_hit_entry,
	.call = (uint64_t)agent_call_entry,
	.trap = (uint64_t)agent_trap,
};

#define CLEAN_TURNS 8 /* of other threads, while they have slots with records of speculations */

static struct {
	dtrace_state_t *state; /* NULL: not begun */
	uint64_t cpu;	       /* on which alone hits fire, or DTRACEOPT_UNSET */
	uint32_t cleaner;      /* owner of the slot in which speculations are cleaned; 0: none */
	struct usdt_process process;
	struct dtrace_helpers *helpers; /* read by firings */
} agent;

const struct dtrace_helpers *agent_helpers(void)
{
	return port_load_acquire(&agent.helpers);
}

const struct dtrace_unwind_maps *agent_unwind_maps(void)
{
	uint64_t offset = port_load_acquire(&agent_head.unwind);

	return offset ? agent_at(offset) : NULL;
}

void slot_recover(void)
{
	fire_recover(agent_slot->number);
	clock_forget(agent_slot);
	target_recover();
	vtime_recover(agent_slot->lock_owner);
	if (agent.state) {
		speculation_recover(agent.state, agent_slot->number);
		dtrace_state_recover(agent.state, agent_slot->lock_owner);
	}
	if (port_read_once(&agent.cleaner) == agent_slot->lock_owner) {
		port_mutex_unlock(&agent.state->snap_lock);
		port_write_once(&agent.state->spec_pending, 1);
		port_store_release(&agent.cleaner, 0);
	}
	port_write_once(&agent_slot->left, 0);
}

/* ---- hits ---- */

/* Tell dtrace of this forked child. */
static void child_tell(void)
{
	uint32_t n = port_xadd(&agent_head.nchildren, 1);

	port_write_once(&agent_head.child[n % AGENT_CHILDREN_MAX], agent_own()->pid);
}

/* Return whether dtrace traces still. */
static inline bool session_lives(void)
{
	const struct agent_control *control =
		(const struct agent_control *)(uintptr_t)agent_head.control;

	return port_read_once(&control->leader) == agent_head.leader;
}

/*
 * Handle hits that do not fire, or that may not. Return live, or 0 if there is nothing to do. A
 * forked child learns at its first hit whether it is traced. It uses its parent's region and slots,
 * and its hits are counted there, with its own process number. A child that is not traced makes no
 * system call here: it may have a filter that kills.
 */
static port_noinline uint32_t hit_unusual(uint32_t live)
{
	if (!live) {
		if (!port_load_acquire(&agent_head.cpus))
			return 0; /* the session has not begun */
		if (!agent_head.children || !session_lives())
			return 0;
		target_child();
		target_note_stranger();
		port_write_once(&agent_own()->child, 1);
		if (port_cas(&agent_own()->live, 0, LIVE_FIRST | LIVE_FIRE))
			child_tell();
		live = port_read_once(&agent_own()->live);
	}
	return live & LIVE_STATE ? live : 0;
}

/*
 * Return whether a hit fires. If not, dtrace has ended, and the process leaves the session: one of
 * its threads undoes the code. The code stays in a process that has a filter of system calls, or
 * may have one: a forked child makes its filter unseen by dtrace. Called with a slot.
 */
static inline bool hit_allowed(uint32_t live)
{
	if (port_likely(session_lives()))
		return true;
	if (port_cas(&agent_own()->live, live, live & ~LIVE_STATE) &&
	    !port_read_once(&agent_head.filtered) && !agent_own()->child)
		disarm();
	return false;
}

/*
 * Return whether a conditional jump is taken, by the condition of its opcode. The flags are as
 * hit.S saves them: al has the overflow flag, ah the others.
 */
static bool is_taken(unsigned int condition, uint64_t flags)
{
	const bool overflow = flags & 1, carry = flags >> 8 & 1, parity = flags >> 10 & 1,
		   zero = flags >> 14 & 1, sign = flags >> 15 & 1;
	const bool of[] = {overflow,
			   carry,
			   zero,
			   carry || zero,
			   sign,
			   parity,
			   sign != overflow,
			   zero || sign != overflow};

	return of[condition >> 1] != (condition & 1);
}

/* Return the index of the location of a trampoline number, UINT32_MAX if it has none. */
static inline uint32_t hit_index(uint32_t number)
{
	const uint32_t *numbers = agent_at(agent_head.numbers);

	return port_likely(number < AGENT_NUMBERS_MAX) ? port_load_acquire(&numbers[number]) - 1
						       : UINT32_MAX;
}

/*
 * Fire at all sites of a location. Called with a slot. taken: false if the location is a
 * conditional jump that is not taken, and so leaves no function.
 */
static inline void hit_fire(struct usdt_regs *regs, const struct usdt_location *location,
			    bool taken)
{
	struct dtrace_fire fire = {
		.regs = regs,
		.user = true,
		.child = agent_own()->child,
		.no_frame = location->kind == USDT_ENTRY || location->kind == USDT_RETURN,
	};

	regs->words[RIP] = location->addr;
	for (const struct usdt_site *site = port_load_acquire(&location->sites); site;
	     site = port_load_acquire(&site->next)) {
		if (port_unlikely(!taken) && site->kind == USDT_RETURN)
			continue;
		fire.cookie = site;
		dtrace_fire_within(site->probe->probe, &fire);
	}
}

/*
 * Commit and discard speculations that have records in other slots. A slot may be in use: try
 * again, or leave it to the next hit. Called with a slot.
 */
static port_noinline void hit_clean(void)
{
	for (int turn = 0; turn < CLEAN_TURNS && port_read_once(&agent.state->spec_pending);
	     turn++) {
		if (turn)
			port_others_run(false);
		if (!port_cas(&agent.cleaner, 0, agent_slot->lock_owner))
			return;
		dtrace_state_clean(agent.state);
		port_store_release(&agent.cleaner, 0);
	}
}

/* Handle a hit at a location; operand: see agent.h. (hit.S) */
void agent_hit(struct usdt_regs *regs, uint32_t operand);
void agent_hit(struct usdt_regs *regs, uint32_t operand)
{
	const uint32_t number = AGENT_NUMBER(operand), conditional = AGENT_CONDITIONAL(operand);
	const struct usdt_location *location;
	uint32_t live = port_read_once(&agent_own()->live), index, stop = 0;
	bool taken = true;
	uint32_t pid;
	uint64_t mark;
	unsigned int sig;

	if (port_unlikely((live & LIVE_STATE) != LIVE_FIRE)) {
		live = hit_unusual(live);
		if (!live)
			return;
	}
	pid = agent_own()->pid;
	if (!slot_take(&mark, true, live)) {
		if (port_read_once(&agent_own()->live) == live)
			port_xadd(&agent_head.missed, 1);
		return;
	}
	if (port_unlikely(!hit_allowed(live))) {
		slot_give();
		return;
	}
	slot_recover_left();
	index = hit_index(number);
	if (port_likely(index < port_load_acquire(&agent.process.nlocations))) {
		location = port_load_acquire(&port_load_acquire(&agent.process.locations)[index]);
		if (port_unlikely(conditional))
			taken = is_taken(conditional - 1, regs->words[EFLAGS]);
		if (port_likely(location)) {
			if (port_likely(agent.cpu == DTRACEOPT_UNSET) ||
			    agent.cpu == agent_slot->cpu)
				hit_fire(regs, location, taken);
			if (port_unlikely(port_read_once(&agent.state->spec_pending)))
				hit_clean();
			stop = port_read_once(&location->stop);
		}
	}
	if (port_unlikely(agent_own()->pid != pid))
		return; /* the child of a signal handler: the slot is its parent's */
	sig = target_take_signal();
	slot_give();
	if (port_unlikely(stop & AGENT_CALL(0)))
		call_seen(stop, regs);
	else if (port_unlikely(stop))
		stop_wait(stop, live, regs);
	if (port_unlikely(sig))
		target_send(sig);
}

/* ---- calls ---- */

/* Map the memory that is private to each process. */
static int64_t own_map(void)
{
	int64_t at = agent_syscall(__NR_mmap, 0, AGENT_OWN_SIZE, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, (uint64_t)-1, 0);
	int64_t error;

	if (at < 0)
		return at;
	error = agent_syscall(__NR_madvise, (uint64_t)at, AGENT_OWN_SIZE, MADV_WIPEONFORK, 0, 0, 0);
	if (error)
		return error;
	agent_head.own = (uint64_t)at;
	agent_own()->live = LIVE_FIRST;
	return 0;
}

/* Leave all sessions: values of agent_own()->live that threads have read before become invalid. */
static void live_end(void)
{
	uint32_t live, next;

	do {
		live = port_read_once(&agent_own()->live);
		next = (live | LIVE_STATE) + 1;
	} while (!port_cas(&agent_own()->live, live, next ? next : LIVE_FIRST));
}

/* Write the addresses of the session's state to the head: dtrace's types differ in size. */
static void session_tell(void)
{
	agent_head.activity = agent_offset(&agent.state->activity);
	agent_head.exited = agent_offset(&agent.state->exited);
}

/* Leave memory out of core dumps, which would have all of it, also what was never used. */
static void dump_omit(uint64_t addr, uint64_t size)
{
	agent_syscall(__NR_madvise, addr, size, MADV_DONTDUMP, 0, 0, 0);
}

static int64_t call_start(void)
{
	const struct dtrace_cred cred = {
		.privs = DTRACE_PRIV_ALL, /* over this process: there is no kernel to show */
		.uid = agent_head.uid,
		.pid = agent_head.pid,
		.account = agent_head.uid,
	};
	int64_t error = agent_head.own ? 0 : own_map();

	if (error)
		return error;
	dump_omit((uintptr_t)&agent_head, agent_head.size);
	if (agent_head.variables)
		dump_omit(agent_head.variables, agent_head.variables_size);
	target_child();
	agent_own()->shared = agent_own()->child = 0;
	error = target_init();
	if (!error)
		error = slot_init();
	if (error)
		return error;
	agent_head.own_pid = target_pid();
	clock_init();
	error = dtrace_engine_init();
	if (error)
		return error;
	usdt_init(&agent.process, 1, agent_head.pid, agent_head.uid);
	memcpy(agent.process.ancestors, agent_head.ancestors, sizeof(agent_head.ancestors));
	error = dtrace_state_create(&cred, NULL, &agent.state);
	if (!error)
		session_tell();
	return error;
}

static int64_t call_enable(const struct agent_bytes *bytes)
{
	dtrace_enable_io_t io = {.error_desc = -1};

	return dtrace_state_enable(agent.state, agent_at(bytes->offset), bytes->size, &io,
				   agent_head.message, sizeof(agent_head.message));
}

/* Use the session's memory for global variables. */
static int64_t variables_share(void)
{
	const struct dtrace_shared shared = {
		.mem = (void *)(uintptr_t)agent_head.variables,
		.size = agent_head.variables_size,
		.dynvarsize = agent_head.dynvarsize,
		.seed = agent_head.seed,
	};

	return agent_head.variables ? dtrace_state_share(agent.state, &shared) : 0;
}

/* A slot is no CPU, so all slots get buffers also if the session traces one CPU only. */
static int64_t call_join(void)
{
	int64_t error;

	agent.cpu = agent.state->opts[DTRACEOPT_CPU];
	agent.state->opts[DTRACEOPT_CPU] = DTRACEOPT_UNSET;
	target_tid(); /* for target_note_stranger() */
	error = dtrace_state_join(agent.state);
	if (!error)
		error = variables_share();
	if (error)
		return error;
	port_store_release(&agent_head.cpus, agent_offset(agent.state->cpus));
	port_store_release(&agent_own()->live, agent_own()->live | LIVE_FIRE);
	return 0;
}

/* ---- ustack helpers ---- */

/* Note the ustack helpers of a DOF, and the code that they concern. */
static void dof_note_helper(struct usdt_dof *dof, const struct agent_dof *in)
{
	struct dtrace_helper *ustack = &dof->ustack;

	ustack->program = dof->helper->program;
	for (uint32_t i = 0; i < in->ntexts && i < DTRACE_UHELP_MAXTEXTS; i++) {
		ustack->texts[i].start = in->texts[i].start;
		ustack->texts[i].end = in->texts[i].end;
		ustack->ntexts = i + 1;
	}
}

/*
 * Publish the helpers of all DOF except ending, which may be NULL. Return 0, or -ENOMEM: then there
 * are no helpers.
 */
static int helpers_publish(const struct usdt_dof *ending)
{
	struct dtrace_helpers *list = NULL, *old = agent.helpers;
	struct link *l;
	uint32_t n = 0;

	link_for_each(l, &agent.process.dofs)
		if (link_entry(l, struct usdt_dof, link)->ustack.program)
			n++;
	if (n)
		list = port_alloc(sizeof(*list) + n * sizeof(list->list[0]));
	link_for_each(l, &agent.process.dofs) {
		const struct usdt_dof *dof = link_entry(l, struct usdt_dof, link);

		if (list && dof != ending && dof->ustack.program)
			list->list[list->n++] = dof->ustack;
	}
	port_store_release(&agent.helpers, list);
	if (old)
		port_grace_period();
	port_free(old);
	return n && !list ? -ENOMEM : 0;
}

/* ---- DOF ---- */

/* Add a DOF. Return its number, counted from 0, which other calls take. */
static int64_t call_add(const struct agent_dof *in)
{
	struct dtrace_helper_dof *helper;
	struct usdt_dof *dof = NULL;
	int64_t error = dtrace_helper_parse(agent_at(in->dof.offset), in->dof.size, in->user,
					    in->base, UINT64_MAX, &helper, agent_head.message,
					    sizeof(agent_head.message));

	if (error)
		return error;
	if (in->numbers.size != helper->nsites * sizeof(struct usdt_number)) {
		dtrace_helper_free(helper);
		return -EINVAL;
	}
	error = usdt_add(&agent.process, helper, in->mod, in->flags, agent_at(in->numbers.offset),
			 &dof, agent_head.message, sizeof(agent_head.message));
	if (error)
		return error;
	dof_note_helper(dof, in);
	error = dof->ustack.program ? helpers_publish(NULL) : 0;
	if (error) {
		usdt_remove(&agent.process, dof);
		return error;
	}
	usdt_match(&agent.process);
	return (int64_t)agent_offset(dof);
}

static int64_t call_remove(uint64_t offset)
{
	struct link *l;

	link_for_each(l, &agent.process.dofs) {
		struct usdt_dof *dof = link_entry(l, struct usdt_dof, link);

		if (agent_offset(dof) != offset)
			continue;
		if (dof->ustack.program)
			helpers_publish(dof);
		usdt_remove(&agent.process, dof);
		return 0;
	}
	return -ENOENT;
}

/* Make or remove a stop point. */
static int64_t call_stop(const struct agent_stop *in)
{
	struct usdt_process *process = &agent.process;

	if (in->number)
		return usdt_stop_set(process, in->addr, in->number, in->location) ? 0 : -ENOMEM;
	if (in->location >= process->nlocations || !process->locations[in->location])
		return -ENOENT;
	usdt_stop_clear(process, process->locations[in->location]);
	return 0;
}

/* Let a forked child go on as if it had never been traced. */
static void call_leave(void)
{
	target_child();
	live_end();
	disarm();
}

#define END_TURNS 50 /* of other threads, while a thread is in a firing */

/* Leave an ended session. Return 0, or -EBUSY if a thread is in it, or carries out a call. */
static int64_t call_end(void)
{
	if (port_read_once(&agent_head.calls) != 1)
		return -EBUSY;
	if (!agent_head.own)
		return 0; /* the session has not begun */
	target_child();
	live_end();
	for (int turn = 0; turn < END_TURNS; turn++) {
		if (slots_end())
			return 0;
		port_others_run(turn > 0);
	}
	return -EBUSY;
}

/* ---- the table of ECBs ---- */

struct ecb_table {
	struct agent_ecb *ecbs; /* NULL: count only */
	uint32_t n;
};

static void ecb_put(void *arg, const struct usdt_ecb *ecb)
{
	struct ecb_table *table = arg;

	if (table->ecbs)
		table->ecbs[table->n] = (struct agent_ecb){
			.epid = ecb->epid,
			.probe = ecb->probe,
			.enabling = ecb->enabling,
			.clause = ecb->clause,
			.told = agent_offset(&ecb->ecb->told),
		};
	table->n++;
}

/* Write the table of ECBs for dtrace. Return 0 or a negative errno. */
static int64_t ecbs_tell(void)
{
	struct ecb_table table = {0};
	uint32_t n;

	usdt_each_ecb(&agent.process, agent.state, ecb_put, &table);
	n = table.n;
	if (agent_head.ecbs)
		port_free(agent_at(agent_head.ecbs));
	agent_head.ecbs = agent_head.necbs = 0;
	table = (struct ecb_table){.ecbs = port_alloc((n + 1) * sizeof(struct agent_ecb))};
	if (!table.ecbs)
		return -ENOMEM;
	usdt_each_ecb(&agent.process, agent.state, ecb_put, &table);
	agent_head.ecbs = agent_offset(table.ecbs);
	agent_head.necbs = n;
	return 0;
}

static int64_t call_carry_out(uint64_t what, uint64_t offset)
{
	int64_t rv, error;

	agent_head.message[0] = '\0';
	switch (what) {
	case AGENT_START:
		return call_start();
	case AGENT_ENABLE:
		rv = call_enable(agent_at(offset));
		break;
	case AGENT_JOIN:
		rv = call_join();
		break;
	case AGENT_ADD:
		rv = call_add(agent_at(offset));
		break;
	case AGENT_REMOVE:
		rv = call_remove(offset);
		break;
	case AGENT_LEAVE:
		call_leave();
		return 0;
	case AGENT_END:
		return call_end();
	case AGENT_STOP:
		return call_stop(agent_at(offset));
	default:
		return -EINVAL;
	}
	error = rv < 0 ? 0 : ecbs_tell();
	return error ? error : rv;
}

/*
 * Carry out a call of dtrace (hit.S). offset: of its argument. Return a negative errno on error. If
 * dtrace is killed meanwhile, the call goes on.
 */
int64_t agent_call(uint64_t what, uint64_t offset);
int64_t agent_call(uint64_t what, uint64_t offset)
{
	int64_t rv;

	port_xadd(&agent_head.calls, 1);
	rv = call_carry_out(what, offset);
	port_xadd(&agent_head.calls, -1);
	return rv;
}
