// SPDX-License-Identifier: MIT
/*
 * unwound.cc - functions that are left by other ways than a return instruction: by exceptions, by
 * longjmp, out of a signal handler too, and for a while by coroutines; and how deep the stack is,
 * by the means of a program. Prints what has come of each.
 *
 * In every second round *_inner leaves all functions up to *_outer. throw_middle has something to
 * clean up then.
 */
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <execinfo.h>
#include <ucontext.h>
#include <unwind.h>

#define ROUNDS 40
#define STEPS  5
#define STACK  65536

#define FUNCTION extern "C" __attribute__((noinline, noclone, used))

/* The code behind it keeps a call from being the last thing that a function does. */
#define BARRIER() __asm__ volatile("" ::: "memory")

/* ---- exceptions ---- */

static int cleaned;

struct cleaner {
	~cleaner()
	{
		cleaned++;
	}
};

FUNCTION int throw_inner(int round)
{
	if (round % 2)
		throw round;
	return round;
}

FUNCTION int throw_middle(int round)
{
	cleaner both;
	int result = throw_inner(round) + 1;

	BARRIER();
	return result;
}

FUNCTION int throw_plain(int round)
{
	int result = throw_middle(round);

	BARRIER();
	return result + 1;
}

FUNCTION int throw_outer(int round)
{
	try {
		return throw_plain(round);
	} catch (int thrown) {
		return -thrown;
	}
}

/* Thrown again, on its way through one that has caught it. */
FUNCTION int throw_again(int round)
{
	try {
		return throw_plain(round);
	} catch (int) {
		throw;
	}
}

static void exceptions()
{
	long sum = 0;
	int caught = 0;

	for (int round = 0; round < ROUNDS; round++) {
		sum += throw_outer(round);
		try {
			sum += throw_again(round);
		} catch (int) {
			caught++;
		}
	}
	printf("exceptions: sum %ld, caught again %d, cleaned %d\n", sum, caught, cleaned);
}

/* ---- longjmp ---- */

static jmp_buf back;
static sigjmp_buf signal_back;
static int handled;

FUNCTION int jump_inner(int round)
{
	if (round % 2)
		longjmp(back, round);
	return round;
}

FUNCTION int jump_middle(int round)
{
	int result = jump_inner(round);

	BARRIER();
	return result + 1;
}

FUNCTION int jump_outer(int round)
{
	int jumped = setjmp(back);

	return jumped != 0 ? -jumped : jump_middle(round);
}

FUNCTION void handler_inner(int)
{
	if (handled++ % 2)
		siglongjmp(signal_back, 1);
}

FUNCTION int handler_middle()
{
	int error = raise(SIGUSR1);

	BARRIER();
	return error + 1;
}

FUNCTION int handler_outer()
{
	return sigsetjmp(signal_back, 1) != 0 ? 100 : handler_middle();
}

static void jumps()
{
	long sum = 0, handlers = 0;

	signal(SIGUSR1, handler_inner);
	for (int round = 0; round < ROUNDS; round++) {
		sum += jump_outer(round);
		handlers += handler_outer();
	}
	printf("jumps: sum %ld, from handlers %ld\n", sum, handlers);
}

/* ---- coroutines ---- */

static ucontext_t contexts[3]; /* the first is that of the program */
static char stacks[2][STACK];
static int steps[2];

FUNCTION void coro_yield(int me)
{
	swapcontext(&contexts[1 + me], &contexts[0]);
	BARRIER();
}

FUNCTION int coro_step(int me)
{
	coro_yield(me);
	return ++steps[me];
}

/* The first comes to its end, the second is left where it is. */
FUNCTION void coro_body(int me)
{
	for (int i = 0; i < STEPS + me; i++)
		if (coro_step(me) < 0)
			return;
	BARRIER();
}

FUNCTION void coro_resume(int which)
{
	swapcontext(&contexts[0], &contexts[1 + which]);
	BARRIER();
}

static void coroutines()
{
	for (int i = 0; i < 2; i++) {
		ucontext_t *to = &contexts[1 + i];

		getcontext(to);
		to->uc_stack.ss_sp = stacks[i];
		to->uc_stack.ss_size = STACK;
		to->uc_link = &contexts[0];
		makecontext(to, reinterpret_cast<void (*)()>(coro_body), 1, i);
	}
	for (int i = 0; i < STEPS + 1; i++) {
		coro_resume(0);
		coro_resume(1);
	}
	printf("coroutines: %d and %d steps\n", steps[0], steps[1]);
}

/* ---- depth ---- */

static int depth_by_libc, depth_by_unwinder;

static _Unwind_Reason_Code one_more(struct _Unwind_Context *, void *)
{
	depth_by_unwinder++;
	return _URC_NO_REASON;
}

FUNCTION void depth_measure()
{
	void *found[64];

	depth_by_libc = backtrace(found, 64);
	depth_by_unwinder = 0;
	_Unwind_Backtrace(one_more, nullptr);
}

FUNCTION int depth_descend(int levels)
{
	int below = 0;

	if (levels == 0)
		depth_measure();
	else
		below = depth_descend(levels - 1);
	BARRIER();
	return below + 1;
}

static void depths()
{
	for (int levels = 0; levels < 20; levels += 9) {
		int fewer = depth_descend(levels);

		printf("depths: %d by libc, %d by the unwinder at level %d\n",
		       depth_by_libc - fewer, depth_by_unwinder - fewer, levels);
	}
}

int main()
{
	exceptions();
	jumps();
	coroutines();
	depths();
	return 0;
}
