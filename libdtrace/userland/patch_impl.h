/* SPDX-License-Identifier: MIT */
/*
 * patch_impl.h - what the files of patch.h share.
 *
 *	patch.c			the sites of a process, semaphores, the end
 *	trampoline.c		forms of sites, and the code to which they jump
 *	patch_insn.c		sites at any instruction, and their aids
 *	patch_prepare.c		code is written and mapped
 *	patch_switch.c		sites are switched on and off
 */
#ifndef DT_USERLAND_PATCH_IMPL_H
#define DT_USERLAND_PATCH_IMPL_H

#include "../process/displace.h"
#include "agent.h"
#include "codepage.h"
#include "patch.h"

#define JUMP	  0xe9
#define JUMP_SIZE 5
#define PREFIXES  2 /* most before a jump */
#define SPAN_MAX  (PREFIXES + JUMP_SIZE)
#define SEEN	  32
#define NOP	  0x90
#define INT3	  0xcc
#define ASIDE \
	(128 << 20) /* bytes from mirror pages to trampolines, which leave space for more mirrors */
#define AWAY	   (1 << 30) /* bytes from the program to trampolines without mirror */
#define INDEX_END  ((1 << 24) - 1)
#define INDEX_NONE INDEX_END /* of a site that dtrace has added */
#define BEFORE	   2	     /* bytes that are read before pc */
#define AROUND	   8	     /* bytes that are read in all */

enum site_state {
	SITE_NEW,      /* no code yet */
	SITE_ONE_BYTE, /* with mirror page, or is-enabled */
	SITE_FIVE_BYTES,
	SITE_INSTRUCTION,
};

struct site {
	uint64_t pc, at; /* at: A */
	uint64_t back;	 /* return address of the trampoline; 0: it executes ret */
	uint64_t trampoline;
	uint64_t dev, ino, offset; /* the mapped file, and the offset of A in it */
	uint32_t index;
	enum site_state state;
	bool enabled, instruction, on, forgotten;
	bool kept;	/* on only because it supports another site */
	bool resume;	/* it was on before it was prepared again */
	bool single;	/* it can be taken back by one byte */
	bool noted;	/* dtrace has noted how to undo it */
	bool listed;	/* it is in the list in use */
	bool prefixed;	/* it is an aid whose jump needs a prefix */
	uint8_t size;	/* bytes that are written */
	uint8_t span;	/* bytes of its jump, and its prefixes */
	uint16_t depth; /* length of the chain of sites that support it */
	uint64_t end;	/* instructions extend up to this address; 0: unknown */
	uint64_t spare; /* bytes from end on that nothing uses */
	uint64_t sema;	/* address of the semaphore that it raises while it is on; 0: none */
	uint64_t aid;	/* address of its aid; 0: none */
	uint8_t links;	/* length of the chain of sites whose aid it is */
	uint8_t tries;	/* how often it has waited for aids */
	uint8_t off_bytes[SPAN_MAX], on_bytes[SPAN_MAX]; /* while all supporting sites are on */
	struct displace insn;				 /* of SITE_INSTRUCTION */
};

struct dt_patches {
	pid_t pid;
	int mem;
	struct code_pages pages;
	struct site **list; /* in order of pc */
	size_t n;
	struct site **by_index;
	uint32_t nindices;
	uint32_t *numbers; /* by the number of a trampoline: the index of its site, plus 1 */
	uint32_t nnumbers, next_number;
	bool numbered; /* next_number is beyond the numbers of earlier sessions */
	/*
	 * what the process has at sites, by the lowest bits of the address: kept while the code of
	 * one site is made, which may look at the same bytes thousands of times; at 0: nothing
	 */
	struct {
		uint64_t at;
		uint8_t bytes[SPAN_MAX];
	} seen[SEEN];
};

/* The callback for failures. */
struct failed {
	dt_patch_failed_f *func;
	void *arg;
};

/* The callback for notes on how to undo patches. */
struct noted {
	dt_patch_note_f *func;
	void *arg;
};

/* ---- patch.c ---- */

/* Report why a site failed, unless dtrace has added it by itself. */
void patch_fail(const struct failed *failed, uint32_t index, int error, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
/* Report that the code of a site is not mapped any more. */
void patch_unmapped(const struct failed *failed, const struct site *site);
/* Read n bytes of the process. Return 0; -ESRCH if it has ended; or a negative errno. */
int patch_read(int mem, uint64_t addr, void *bytes, size_t n);
/* Write n bytes to the process's memory. Return 0; -ESRCH if it has ended; or a negative errno. */
int patch_write(int mem, uint64_t addr, const void *bytes, size_t n);
/* Return the number of sites with pc or less. */
size_t patch_sites_until(const struct dt_patches *patches, uint64_t pc);
/* Return the site of an address, or NULL. */
struct site *patch_site_find(const struct dt_patches *patches, uint64_t pc);
/* Return the site of an address, and make one if there is none. Return NULL without memory. */
struct site *patch_site_get(struct dt_patches *patches, uint64_t pc);
/* Give a site an index. Return 0, -EINVAL or -ENOMEM. */
int patch_index_set(struct dt_patches *patches, uint32_t index, struct site *site);

/* ---- trampoline.c ---- */

/* A way to patch a site. */
struct form {
	uint64_t at;
	uint64_t back; /* 0: the trampoline returns */
	int32_t distance;
	uint8_t bytes[JUMP_SIZE]; /* as they are off */
	bool near;		  /* the five bytes belong to the site, and may all be written */
};

/* Addresses that distances of 32 bits must reach, or between which code must be. */
struct bounds {
	uint64_t low, high;
};

#define TRAMPOLINE_HIT 24 /* bytes that call the agent */

/*
 * Find the ways to patch a site by the bytes around it, the best first. code[BEFORE] is at pc.
 * Return their number; 0: there is no site.
 */
int form_find_all(uint64_t pc, const uint8_t *code, struct form forms[2]);
/* Report that the bytes at a site are not those of any form of site. */
void form_fail(const struct failed *failed, const struct site *site, const uint8_t *code);
/* Note that a site is patched in a form. state: SITE_ONE_BYTE or SITE_FIVE_BYTES. */
void form_take(struct site *site, const struct form *form, enum site_state state,
	       uint64_t trampoline);
/* Return the target of the jump in the one-byte form of a site. */
uint64_t form_target(const struct form *form);
/* Write the code for the one-byte form of a site. Return 0, -EEXIST, -ENOSPC or -ENOMEM. */
int form_emit_mirror(struct dt_patches *patches, struct site *site, const struct form *form);
/*
 * Write the code for the five-byte form of a site. before: the byte before it is an instruction
 * that has a site, too, whose distance will probably lead to free memory. Return 0 or -ENOSPC.
 */
int form_emit_jump(struct dt_patches *patches, struct site *site, const struct form *form,
		   bool before);
/* Write a jump of five bytes. */
void jump_make(uint8_t bytes[JUMP_SIZE], uint64_t at, uint64_t target);
/* Return the target of a jump at an address. Its first byte may still be another instruction's. */
uint64_t jump_target(const uint8_t bytes[JUMP_SIZE], uint64_t at);
/* Narrow bounds to the addresses that a distance of 32 bits can reach from addr. */
void bounds_add(struct bounds *bounds, uint64_t addr);
/* Return an earlier trampoline of a site within bounds; 0 if there is none. form: as below. */
uint64_t trampoline_find(const struct dt_patches *patches, const struct site *site,
			 const struct form *form, struct bounds bounds);
/*
 * Return the trampoline to which an earlier jump at an address leads, if it is the one of a site;
 * else 0.
 */
uint64_t trampoline_mirror_find(const struct dt_patches *patches, const struct site *site,
				const struct form *form, uint64_t target);
/*
 * Return a trampoline for a site, within bounds and as near to an address as possible: an earlier
 * one, or a new one. form: NULL for an instruction. Return 0 if there is no free memory.
 */
uint64_t trampoline_emit(struct dt_patches *patches, const struct site *site,
			 const struct form *form, struct bounds bounds, uint64_t near);
/* Assign hits of a trampoline to an index; INDEX_NONE: to no site. */
void trampoline_number_set(struct dt_patches *patches, uint64_t trampoline, uint32_t index);
/* Find the numbers of the trampolines of earlier sessions. */
void trampoline_numbers_begin(struct dt_patches *patches);

/* ---- patch_insn.c ---- */

/*
 * Write the code of an instruction. Return 0; -EAGAIN if the instruction site->aid has to become an
 * aid; or report and return another negative errno.
 */
int patch_insn_emit(struct dt_patches *patches, const struct failed *failed, struct site *site);
/* Return whether a site was requested for the instruction at an address. */
bool patch_is_asked_for(const struct dt_patches *patches, uint64_t pc);
/* Return whether a site writes bytes of the distance of an instruction's site. */
bool patch_supports(const struct site *other, const struct site *site);
/* Return the number of prefixes of a site's jump. */
uint8_t patch_prefixes(const struct site *site);

/* ---- patch_switch.c ---- */

/*
 * Switch n sites, of which some may be NULL. alone: as of dt_patch_set(). Return 0 or a negative
 * errno.
 */
int patch_sites_set(struct dt_patches *patches, const struct failed *failed,
		    const struct noted *noted, struct site **sites, size_t n, bool on, bool alone);
/*
 * Write the bytes of a site, if the expected bytes are there, and raise or lower its semaphore.
 * Return 0, or report and return a negative errno.
 */
int patch_site_write(int mem, const struct failed *failed, const struct site *site, bool on);
/* Report how to undo a site, or that it is off. */
void patch_site_note(const struct site *site, const struct noted *noted);

#endif
