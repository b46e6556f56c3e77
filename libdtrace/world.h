/* SPDX-License-Identifier: MIT */
/*
 * world.h - what the requests of a session go to.
 *
 * A world carries out the requests of <dtrace/ioctl.h>, which concern the session, and those of
 * <dtrace/fasttrap.h>, which concern processes. These two headers are the contract: the requests,
 * their structures with units, and their errors are the same in every world. world_kernel.c passes
 * them to the devices of the kernel module, and no other file of the library knows a device;
 * userland/world_user.c gives them to the engine, which is a part of the library.
 *
 * The handle owns its world. All operations are called by the thread that uses the handle.
 */
#ifndef DT_WORLD_H
#define DT_WORLD_H

#include <dtrace/fasttrap.h>
#include <dtrace/ioctl.h>
#include "libdtrace.h"

struct dt_world;
struct pollfd;

/* The kinds of events that descriptors report. */
enum dt_world_news {
	DT_WORLD_RECORDS,   /* a buffer is half full, or tracing ends */
	DT_WORLD_STOPS,	    /* a thread has arrived at a stop point, or a program has come */
	DT_WORLD_NEWCOMERS, /* a program has come */
};

/* Called with each thread that has arrived at a stop point. stopped is valid during the call. */
typedef void dt_world_stopped_f(const dtrace_stopped_t *stopped, void *arg);

/* An event that a session reports. */
enum dt_world_met {
	DT_WORLD_PROGRAM, /* a process, or another program in one; it may be waiting */
	DT_WORLD_LIBRARY, /* a known process, which may have loaded libraries */
	DT_WORLD_CHILD,	  /* a child that was forked from a known process; it may have ended */
};

/* Called with an event of a session. parent: of a child, else 0. */
typedef void dt_world_met_f(void *arg, enum dt_world_met met, pid_t pid, pid_t parent);

struct dt_world_ops {
	/*
	 * The world has all stop points of <dtrace/stop.h>: before the first instruction of any
	 * program too, and one stop point in a file for all processes that map it. If this is
	 * false, the world stops a process only after it has joined it: at an address, whose stop
	 * point is one process's own, and after an exec by it. A program that is waited for by its
	 * name must come to the world by itself, as programs with a start-up object do.
	 */
	bool stop_points;
	/*
	 * Probes move instructions (process/displace.h). If this is false, they are breakpoints of
	 * the kernel.
	 */
	bool moves;
	/*
	 * Probes have one number each. If this is false, each engine numbers its probes by itself,
	 * and only names mean the same probe in all of them.
	 */
	bool numbers;
	/*
	 * Carry out a request of <dtrace/ioctl.h> (DTRACEIOC_*).
	 *	arg	its structure, in and out; it belongs to the caller, as does all memory to
	 *		which it points, and the world keeps no pointer to it
	 * Return 0, or -1 with errno as ioctl.h has it.
	 */
	int (*request)(struct dt_world *world, unsigned long request, void *arg);
	/*
	 * Return NULL if requests about processes can be made, else the reason for a message, a
	 * constant string. The first call prepares such requests.
	 */
	const char *(*lacks_processes)(struct dt_world *world);
	/*
	 * Carry out a request of <dtrace/fasttrap.h> (DTRACEFTIOC_*). It is called only when
	 * lacks_processes() has returned NULL.
	 *	arg	its structure, under the rules of request(); or the number, converted, that
	 *		the request takes instead of a structure
	 * Return what fasttrap.h says, 0 or more, or -1 with errno.
	 */
	int (*process)(struct dt_world *world, unsigned long request, void *arg);
	/*
	 * Set fds[0..] to the descriptors to poll for news, at most max. They belong to the world.
	 * Return their number, which may be 0: then the caller's rates decide when it looks.
	 */
	int (*fds)(struct dt_world *world, enum dt_world_news news, struct pollfd *fds, int max);
	/*
	 * Do what has come up: call func for each thread that has arrived at a stop point since the
	 * last call. func may make requests. If it is NULL, leave the threads to a later call. Does
	 * not wait.
	 */
	void (*work)(struct dt_world *world, dt_world_stopped_f *func, void *arg);
	/*
	 * Copy the next thing that the user should know of a process, a message without a full
	 * stop, to message, of size bytes, and its number to *pid. Return false if there is
	 * nothing.
	 */
	bool (*complaint)(struct dt_world *world, pid_t *pid, char *message, size_t size);
	/*
	 * Return whether a site of any session may have a breakpoint at an offset of a file of this
	 * name, without folders.
	 */
	bool (*has_breakpoint)(struct dt_world *world, uint64_t offset, const char *name);
	/*
	 * Note that all of size bytes at an address of a process are instructions, of which the
	 * last may be longer. Nothing uses the spare bytes behind them. It concerns the
	 * registration that comes next. Size 0: forget what was noted. NULL: the world does not
	 * need to know.
	 */
	void (*code)(struct dt_world *world, uint64_t addr, uint64_t size, uint64_t spare);
	/*
	 * Call func with arg from now on for all traced processes, before records of them are read.
	 * func may make requests about unwind tables. NULL: the world does not know the processes.
	 */
	void (*follow)(struct dt_world *world, dt_world_met_f *func, void *arg);
	/*
	 * End the session and free the world. Registrations, stop points and enablings that were
	 * made by it are removed; its stopped threads go on.
	 */
	void (*close)(struct dt_world *world);
};

/* The beginning of the structure of each world. */
struct dt_world {
	const struct dt_world_ops *ops;
};

/* A kind of world. */
struct dt_world_type {
	const char *name; /* value of the option world */
	int flag;	  /* DTRACE_O_* by which dtrace_open() chooses it; 0: the default */
	/*
	 * For a message: what the user can do to use the memory, types and symbols of the kernel.
	 * NULL: the world has them.
	 */
	const char *kernel_hint;
	/*
	 * Open the world for a session. Return 0 and set *world, which the caller closes by its
	 * operation; or return a libdtrace error (EDT_NODEV, EDT_ACCESS, EDT_SESSIONS, EDT_PROCFS,
	 * EDT_FILES, EDT_FILTER) or an errno.
	 */
	int (*open)(struct dt_world **world);
};

/* The kernel's devices. (world_kernel.c) */
extern const struct dt_world_type dt_world_kernel;
/* Names of providers that only this world has, for messages in others; NULL ends the list. */
extern const char *const dt_module_providers[];
/*
 * The engine in this process and in traced processes, without the module. (userland/world_user.c)
 */
extern const struct dt_world_type dt_world_user;

/* Return the type of world that the flags of dtrace_open() choose. */
const struct dt_world_type *dt_world_by_flags(int flags);
/* Return the type of world with a name, or NULL. */
const struct dt_world_type *dt_world_by_name(const char *name);
/* Write the names of all types to buf, of size bytes: "kernel or user". */
void dt_world_names(char *buf, size_t size);

/*
 * Pass a request about the session to the handle's world. Return what the operation returns;
 * without a world -1 with errno ENODEV, and EDT_NODEV set in the handle.
 */
int dt_world_request(dtrace_hdl_t *dtp, unsigned long request, void *arg);
/*
 * Return NULL if the handle's world takes requests about processes, else the reason, for a message.
 * The text is constant.
 */
const char *dt_world_lacks_processes(dtrace_hdl_t *dtp);
/*
 * Pass a request about processes to the handle's world. Return what the operation returns; -1 with
 * errno ENODEV if the world takes none. The error of the handle is not changed.
 */
int dt_world_process(dtrace_hdl_t *dtp, unsigned long request, void *arg);
/* Pass a request that takes a number, as STOP_END and STOP_RELEASE. Return as above. */
int dt_world_process_number(dtrace_hdl_t *dtp, unsigned long request, int number);
/*
 * Return NULL if programs can use the memory, types and symbols of the kernel in the handle's
 * world, or in the world that it would open; otherwise what the user can do, for a message. The
 * text is constant.
 */
const char *dt_world_lacks_kernel(const dtrace_hdl_t *dtp);
/* Return whether requests about processes can be made, and the world has all stop points. */
bool dt_world_has_stop_points(dtrace_hdl_t *dtp);
/* Return whether the handle has a world whose probes move instructions. */
bool dt_world_moves(const dtrace_hdl_t *dtp);
/* Return whether probes have one number each in the handle's world, or the handle has no world. */
bool dt_world_numbers(const dtrace_hdl_t *dtp);
/* Set fds[0..] as the operation does. Return their number, 0 without a world. */
int dt_world_fds(dtrace_hdl_t *dtp, enum dt_world_news news, struct pollfd *fds, int max);
/* Call func as the operation does; without a world do nothing. */
void dt_world_work(dtrace_hdl_t *dtp, dt_world_stopped_f *func, void *arg);
/* Copy the next complaint as the operation does; without a world return false. */
bool dt_world_complaint(dtrace_hdl_t *dtp, pid_t *pid, char *message, size_t size);
/* Return what the operation returns; without a world false. */
bool dt_world_has_breakpoint(dtrace_hdl_t *dtp, uint64_t offset, const char *name);
/* Note the code of a function, as the operation does. */
void dt_world_code(dtrace_hdl_t *dtp, uint64_t addr, uint64_t size, uint64_t spare);

/* Let func be called, as the operation does; without it nothing happens. */
void dt_world_follow(dtrace_hdl_t *dtp, dt_world_met_f *func, void *arg);

#endif
