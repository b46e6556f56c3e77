/* SPDX-License-Identifier: MIT */
/*
 * helper.d - walks the stack of Python for jstack(): dtrace -C -G -s helper.d. The innermost frame
 * of C gets the whole of it, a line for each frame of Python:
 *
 *	_PyEval_EvalFrameDefault
 *	Parser.word at /srv/app/parser.py:17
 *	main at /srv/app/parser.py:40
 *	<module> at /srv/app/parser.py:44
 *
 * offsets.h says where things are, lines.h how lines are found.
 */
#define HELPER_D
#include "lines.h"
#include "offsets.h"

#define PTR(address)	(*(uintptr_t *)copyin((address), 8))
#define U32(address)	(*(uint32_t *)copyin((address), 4))
#define U16(address)	(*(uint16_t *)copyin((address), 2))

#define CAPACITY		4096	/* for text: no string of a helper is longer */
#define LONGEST		200	/* part of a line */
#define ENOUGH		(CAPACITY - 3 * LONGEST)

/* A bit of TEXT_STATE; what a code object keeps for others: their number, then what they keep. */
#define STATE_ASCII	(1 << 6)
#define EXTRA_FIRST	8

#define TWICE(it)	it it
#define TIMES8(it)	TWICE(TWICE(TWICE(it)))
#define TIMES64(it)	TIMES8(TIMES8(it))

/* The value of stacks.c at arg3: 0 as long as the interpreter has not begun. */
dtrace:helper:ustack:
/arg2 == 0 && arg3 != 0/
{
	this->runtime = PTR(arg3);
	this->extra = EXTRA_FIRST + 8 * PTR(arg3 + 8);
	this->thread = this->runtime ? PTR(this->runtime + RUNTIME_CURRENT) : 0;
	this->found = this->thread && PTR(this->thread + THREAD_ID) == tid ? this->thread : 0;
	0;
}

/* It is not the thread that has the lock of the interpreter: one of the others. */
dtrace:helper:ustack:
/this->runtime && !this->found/
{
	this->interpreter = PTR(this->runtime + RUNTIME_INTERPRETERS);
	this->thread = this->interpreter ? PTR(this->interpreter + INTERPRETER_THREADS) : 0;
	this->last = this->thread;
	0;
}

#define THREAD								\
dtrace:helper:ustack:							\
/this->thread && !this->found/						\
{									\
	this->found = PTR(this->thread + THREAD_ID) == tid ? this->thread : 0;	\
	this->last = this->thread;					\
	this->thread = PTR(this->thread + THREAD_NEXT);			\
	this->interpreter = this->thread ? this->interpreter :		\
			    PTR(this->interpreter + INTERPRETER_NEXT);	\
	this->thread = this->thread ? this->thread : this->interpreter ?	\
		       PTR(this->interpreter + INTERPRETER_THREADS) : 0;	\
	0;								\
}
TIMES64(THREAD)

/* The first thread of a process in whose namespace it has another number: it is the oldest. */
dtrace:helper:ustack:
/this->runtime && !this->found && tid == pid/
{
	this->found = this->last;
	0;
}

dtrace:helper:ustack:
/this->found/
{
	this->cframe = PTR(this->found + THREAD_CFRAME);
	this->frame = this->cframe ? PTR(this->cframe + CFRAME_FRAME) : 0;
	this->text = (char *)alloca(CAPACITY);
	this->at = 0;
	0;
}

/* The text of a string of Python: where it is, and how much of it we take. */
#define TEXT(object, where, length)						\
	this->state = U32((object) + TEXT_STATE) & STATE_ASCII;			\
	this->where = this->state ? (object) + TEXT_ASCII :			\
		      PTR((object) + TEXT_UTF8);				\
	this->length = PTR((object) + (this->state ? TEXT_LENGTH : TEXT_UTF8_LENGTH));	\
	this->length = this->where == 0 ? 0 :					\
		       this->length < LONGEST ? this->length : LONGEST;

#define ADD_OBJECT(object)						\
	TEXT(object, where, length)					\
	copyinto(this->where, this->length, this->text + this->at);	\
	this->at += this->length;

#define ADD_STRING(string, length)					\
	bcopy(string, this->text + this->at, length);			\
	this->at += length;

#define FRAME								\
dtrace:helper:ustack:							\
/this->frame && this->at < ENOUGH/					\
{									\
	this->code = PTR(this->frame + FRAME_CODE);			\
	this->lines = PTR(this->code + CODE_EXTRA);			\
	this->lines = this->lines ? PTR(this->lines + this->extra) : 0;	\
	this->lines = this->lines && PTR(this->lines) == LINES_MAGIC ? this->lines : 0;	\
	this->unit = PTR(this->frame + FRAME_INSTRUCTION);		\
	this->unit = (this->unit - (this->code + CODE_UNITS)) / 2;	\
	this->line = U32(this->code + CODE_LINE);			\
	this->line += this->lines && this->unit < U32(this->lines + LINES_COUNT) ?	\
		      U16(this->lines + LINES_BEYOND + 2 * this->unit) : 0;	\
	ADD_STRING("\n", 1)						\
	ADD_OBJECT(PTR(this->code + CODE_NAME))				\
	ADD_STRING(" at ", 4)						\
	ADD_OBJECT(PTR(this->code + CODE_FILE))				\
	this->number = strjoin(":", lltostr(this->line));		\
	ADD_STRING(this->number, strlen(this->number))			\
	this->frame = PTR(this->frame + FRAME_PREVIOUS);		\
	0;								\
}
TIMES64(FRAME)

dtrace:helper:ustack:
/this->at/
{
	bcopy("", this->text + this->at, 1);
	stringof(this->text);
}
