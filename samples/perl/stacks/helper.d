/* SPDX-License-Identifier: MIT */
/*
 * helper.d - walks the stack of Perl for jstack(): dtrace -C -G -s helper.d. The innermost frame of
 * C gets the whole of it, a line for each sub, eval of a string and file that is required:
 *
 *	Perl_pp_multiply
 *	Parser::word at /srv/app/parser.pl:17
 *	main::run at /srv/app/parser.pl:40
 *	(main) at /srv/app/parser.pl:44
 *
 * Perl has a stack of contexts, in which those of subs and evals are linked by their indices; sort,
 * tied variables, signal handlers and the like begin another such stack (stackinfo). offsets.h says
 * where things are, table.h how a thread's interpreter is found.
 */
#include "table.h"
#include "offsets.h"

#define PTR(address)	(*(uintptr_t *)copyin((address), 8))
#define I32(address)	(*(int32_t *)copyin((address), 4))
#define U32(address)	(*(uint32_t *)copyin((address), 4))
#define U16(address)	(*(uint16_t *)copyin((address), 2))
#define U8(address)	(*(uint8_t *)copyin((address), 1))

#define CAPACITY		4096	/* for text: no string of a helper is longer */
#define LONGEST		200	/* part of a line */
#define ENOUGH		(CAPACITY - 4 * LONGEST)

#define TWICE(it)	it it
#define TIMES4(it)	TWICE(TWICE(it))
#define TIMES64(it)	TIMES4(TIMES4(TIMES4(it)))

dtrace:helper:ustack:
/arg2 == 0 && arg3 != 0/
{
	this->slot = arg3 + TABLE_FIRST + TABLE_SLOT * (tid % TABLE_SLOTS);
	this->tries = TABLE_TRIES;
	this->perl = (uintptr_t)0;
	0;
}

#define SLOT								\
dtrace:helper:ustack:							\
/this->tries && !this->perl/						\
{									\
	this->perl = PTR(this->slot) == tid ? PTR(this->slot + 8) : 0;	\
	this->slot += TABLE_SLOT;					\
	this->tries -= 1;						\
	0;								\
}
TIMES4(SLOT)

/* The first thread of a process in whose namespace it has another number. */
dtrace:helper:ustack:
/this->slot && !this->perl && tid == pid/
{
	this->first = PTR(arg3);
	this->perl = this->first ? PTR(this->first) : 0;
	0;
}

dtrace:helper:ustack:
/this->perl/
{
	this->stack = PTR(this->perl + PERL_STACKINFO);
	this->cop = PTR(this->perl + PERL_COP);
	this->index = this->stack ? I32(this->stack + STACKINFO_TOP) : -1;
	this->text = (char *)alloca(CAPACITY);
	this->at = 0;
	0;
}

#define ADD_STRING(string, length)					\
	bcopy(string, this->text + this->at, length);			\
	this->at += length;

/* A name of perl's own kind; 0: it has none. */
#define ADD_NAME(name)							\
	this->length = (name) ? U32((name) + NAME_LENGTH) : 0;		\
	this->length = this->length < LONGEST ? this->length : LONGEST;	\
	copyinto((name) + NAME_TEXT, this->length, this->text + this->at);	\
	this->at += this->length;

#define ADD_PLACE							\
	this->file = copyinstr(PTR(this->cop + COP_FILE), LONGEST);	\
	this->number = strjoin(":", lltostr(U32(this->cop + COP_LINE)));	\
	ADD_STRING(" at ", 4)						\
	ADD_STRING(this->file, strlen(this->file))			\
	ADD_STRING(this->number, strlen(this->number))

/* The stack before this one. */
#define STACK								\
dtrace:helper:ustack:							\
/this->stack && this->index < 0/					\
{									\
	this->stack = PTR(this->stack + STACKINFO_PREVIOUS);		\
	this->index = this->stack ? I32(this->stack + STACKINFO_TOP) : -1;	\
	0;								\
}

/* A context: what it is, and which comes next. */
#define CONTEXT								\
dtrace:helper:ustack:							\
/this->stack && this->index >= 0 && this->at < ENOUGH/			\
{									\
	this->context = PTR(this->stack + STACKINFO_CONTEXTS) + this->index * CONTEXT_SIZE;	\
	this->kind = U8(this->context + CONTEXT_TYPE);			\
	this->cv = (this->kind & TYPE_MASK) == TYPE_SUB ||		\
		   (this->kind & TYPE_MASK) == TYPE_FORMAT ?		\
		   PTR(this->context + CONTEXT_CV) : 0;			\
	this->eval = (this->kind & TYPE_MASK) == TYPE_EVAL && !(this->kind & TYPE_BLOCK);	\
	this->index = I32(this->context + CONTEXT_NEXT);		\
	0;								\
}

#define SUB								\
dtrace:helper:ustack:							\
/this->cv/								\
{									\
	this->body = PTR(this->cv + SV_BODY);				\
	this->name = PTR(this->body + CV_GV);				\
	this->stash = U32(this->body + CV_FLAGS) & CV_NAMED ? PTR(this->body + CV_STASH) : 0;	\
	this->glob = !this->stash && this->name ? PTR(this->name + SV_BODY) : 0;	\
	this->stash = this->glob ? PTR(this->glob + GV_STASH) : this->stash;	\
	this->name = this->glob ? PTR(this->glob + GV_NAME) : this->name;	\
	this->body = this->stash && U32(this->stash + SV_FLAGS) & STASH_NAMED ?	\
		     PTR(this->stash + SV_BODY) : 0;			\
	this->package = this->body ? PTR(this->body + STASH_NAME) : 0;	\
	this->package = this->package && I32(this->body + STASH_NAMES) ?	\
			PTR(this->package) : this->package;		\
	ADD_STRING("\n", 1)						\
	ADD_NAME(this->package)						\
	ADD_STRING("::", 2)						\
	ADD_NAME(this->name)						\
	ADD_PLACE							\
	this->cop = PTR(this->context + CONTEXT_COP);			\
	this->cv = 0;							\
	0;								\
}

#define EVAL								\
dtrace:helper:ustack:							\
/this->eval/								\
{									\
	this->op = U16(this->context + CONTEXT_MORE) >> 7;		\
	this->what = this->op == REQUIRE ? "\n(require)" :		\
		     this->op == DO_FILE ? "\n(do)" : "\n(eval)";	\
	ADD_STRING(this->what, strlen(this->what))			\
	ADD_PLACE							\
	this->cop = PTR(this->context + CONTEXT_COP);			\
	this->eval = 0;							\
	0;								\
}

#define STEP	STACK STACK CONTEXT SUB EVAL
TIMES64(STEP)

/* All of it has been seen. */
dtrace:helper:ustack:
/this->perl && !this->stack && this->cop/
{
	ADD_STRING("\n(main)", 7)
	ADD_PLACE
	0;
}

dtrace:helper:ustack:
/this->at/
{
	bcopy("", this->text + this->at, 1);
	stringof(this->text);
}
