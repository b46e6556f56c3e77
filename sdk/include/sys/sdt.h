/* SPDX-License-Identifier: MIT */
/*
 * sys/sdt.h - static probes for C and C++ programs, with their manual.
 *
 *	#include <sys/sdt.h>
 *
 *	DTRACE_PROBE(myapp, started);				a probe without arguments
 *	DTRACE_PROBE2(myapp, request__done, id, nanoseconds);	with two; up to DTRACE_PROBE12
 *
 *	if (DTRACE_PROBE_ENABLED(myapp, request__done)) {	true while a tracer traces the probe
 *		char *text = describe(request);
 *
 *		DTRACE_PROBE1(myapp, request__done, text);
 *	}
 *
 *	# dtrace -n 'myapp*:::request-done { @[arg0] = quantize(arg1); }'
 *
 * The first two arguments are the provider and the probe. They are C identifiers, in which macros
 * are expanded; "__" in the probe's name becomes "-" in D. Link with drti.o (`dtrace -G`, or
 * `pkg-config --variable=drti dtrace-sdt`), so that the program registers its probes when it
 * starts.
 *
 * Macros of a program:
 *	DTRACE_PROBE(provider, name[, argument...])	a probe site: a statement. Compilers without
 *							variadic macros accept no arguments here
 *	DTRACE_PROBE0 to DTRACE_PROBE12			the same with a fixed number of arguments
 *	DTRACE_LAZY_PROBE, DTRACE_LAZY_PROBE0 to 12	the same, but arguments are evaluated only
 *							while a tracer traces the probe
 *	DTRACE_PROBE_ENABLED(provider, name)		an int expression: not 0 while a tracer
 *							traces the probe
 *
 * Arguments are evaluated exactly once, also without a tracer (but see DTRACE_LAZY_PROBE). They
 * may be integers, bit-fields, enums, bools, pointers, arrays and functions (passed by their
 * address), floats and doubles (passed as their bits). The compiler refuses a structure: pass its
 * address. No macro allocates memory, takes ownership or sets errno.
 *
 * Cost: a disabled probe is two NOPs, six bytes (eight on aarch64). The site calls no function and
 * clobbers no register. Arguments stay in the register, memory or constant in which the compiler
 * has them. Memory is up to date at a site. An enabled test is a comparison and a branch.
 *
 * Encoding: the code is 90 66 66 66 66 90. A record in section dtrace_sites (dtrace/site.h) has its
 * address, the names, and the operands of the arguments; the linker drops the record together with
 * its code. A .note.stapsdt note has the same for gdb, perf, bpftrace and SystemTap. Both refer to
 * the probe's semaphore, PROVIDER_PROBE_semaphore: 16 bits in section .probes that tracers
 * increment. Each object defines the semaphores that it uses, weak and hidden.
 *
 * For sources written for SystemTap's header of the same name, this header has STAP_PROBE,
 * STAP_PROBE1 to STAP_PROBE12, STAP_PROBEV, _SDT_PROBE(provider, name, n, (arguments)), and for
 * assembly
 *
 *	__asm__ ("before\n" STAP_PROBE_ASM(myapp, here, -4@%eax 8@16(%rsp)) "after");
 *	__asm__ ("before\n" STAP_PROBE_ASM(myapp, here, STAP_PROBE_ASM_TEMPLATE(2)) "after"
 *		 : "=r" (out) : "r" (in), STAP_PROBE_ASM_OPERANDS(2, x, y));
 *
 * The first form is for assembly without operands; with operands, % is written %%. An argument is
 * written as its size in bytes, negative if signed, "@", and its operand. In assembler files (.S),
 * the macros take such arguments: STAP_PROBE2(myapp, here, -4@%eax, 8@16(%rsp)); lazy probes do not
 * exist there. An argument that names a symbol is only for tools that look symbols up; DTrace reads
 * it as 0.
 *
 * Define before including this file:
 *	SDT_USE_CALLS		sites are calls of __dtrace_PROVIDER___PROBE, which `dtrace -G`
 *				turns into NOPs: the only form for compilers without GNU assembly,
 *				and for machines other than x86 and aarch64. Arguments are passed as
 *				unsigned long, so a float is converted to an integer
 *	DTRACE_SDT_NO_NOTES	omit .note.stapsdt
 *	_SDT_HAS_SEMAPHORES	the program defines the semaphores itself: unsigned short
 *				PROVIDER_PROBE_semaphore in section .probes, for each probe
 *	STAP_SDT_ARG_CONSTRAINT	the operands allowed for arguments, as constraint letters of GNU
 *				assembly (nor)
 *
 * Names that begin with _DTRACE_ are private, except those that headers made by `dtrace -h` use:
 * _DTRACE_TYPEDn, _DTRACE_TYPED_ENABLED, _DTRACE_ENABLED, _dtrace_int64 and _dtrace_uint64.
 */
#ifndef _SYS_SDT_H
#define _SYS_SDT_H

#ifdef __GNUC__
#pragma GCC system_header
#endif

/* Assembly and lists of macros are aligned by hand. */
/* clang-format off */

#define _DTRACE_STRING(x)	_DTRACE_STRING_(x)
#define _DTRACE_STRING_(x)	#x

#define _SDT_NOTE_NAME		"stapsdt"
#define _SDT_NOTE_TYPE		3

/* Macros with any number of arguments: the arguments after the provider are counted. */
#if defined SDT_USE_VARIADIC || defined __ASSEMBLER__ || defined __GNUC__ || \
	(defined __STDC_VERSION__ && __STDC_VERSION__ >= 199901L) || \
	(defined __cplusplus && __cplusplus >= 201103L)
#define _DTRACE_VARIADIC
#define _DTRACE_COUNT(...) \
	_DTRACE_COUNT_(__VA_ARGS__, _DTRACE_MANY, _DTRACE_MANY, _DTRACE_MANY, _DTRACE_MANY, \
		       _DTRACE_MANY, _DTRACE_MANY, _DTRACE_MANY, _DTRACE_MANY, \
		       12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 0)
#define _DTRACE_COUNT_(name, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, \
		       a17, a18, a19, a20, n, ...)	n
#define _DTRACE_CHOOSE(macro, n, ...)	_DTRACE_CHOOSE_(macro, n, __VA_ARGS__)
#define _DTRACE_CHOOSE_(macro, n, ...)	macro##n(__VA_ARGS__)
#endif

/*
 * Machines. Each defines the two NOPs of a site, of which the note has the address of the first;
 * the distance to the second, whose address is in the record; and the directive of an address. For
 * C and C++, each also defines the constraint of arguments; an argument in the text of a note; the
 * kind of a record and its form of an argument (dtrace/site.h); and the function's name, if its
 * address is a plain symbol that needs no register. clang would store each argument to the stack if
 * memory were allowed.
 */
#ifdef __cplusplus
#define _DTRACE_FUNCTION_NAME	__PRETTY_FUNCTION__	/* drti takes Class::method out of it */
#else
#define _DTRACE_FUNCTION_NAME	__FUNCTION__
#endif
#if defined __x86_64__ && !defined __ILP32__
#define _DTRACE_NOPS		nop; .4byte 0x66666666; .byte 0x90
#define _DTRACE_TRAP		1
#define _DTRACE_ADDRESS		.8byte
#ifdef __clang__
#define _DTRACE_OPERAND		"nr"
#else
#define _DTRACE_OPERAND		"nor"
#endif
#define _DTRACE_TEXT(arg)	"%[" arg "]"
#define _DTRACE_KIND		"0"
#define _DTRACE_RECORD_ARG(space, arg, types, shift) \
	_DTRACE_RECORD_CODE(types, shift, "movq %q[" arg "], %%rcx")
#ifndef __code_model_large__
#define _DTRACE_FUNCTION	[_dtrace_function] "m" (_DTRACE_FUNCTION_NAME)
#define _DTRACE_FUNCTION_TEXT	"%P[_dtrace_function] - ."
#endif

#elif defined __i386__
/*
 * i386 has too few registers for clang to use registers alone. GCC has no name for a pair of
 * registers. A constant of 8 bytes does not fit into the instruction of a record.
 */
#define _DTRACE_NOPS		nop; .4byte 0x66666666; .byte 0x90
#define _DTRACE_TRAP		1
#define _DTRACE_ADDRESS		.4byte
#define _DTRACE_OPERAND		"nor"
#define _DTRACE_TEXT(arg)	"%k[" arg "]"
#define _DTRACE_KIND		"0"
#define _DTRACE_RECORD_ARG(space, arg, types, shift) \
	_DTRACE_RECORD_CODE(types, shift, "imull %k[" arg "], %%ecx")
#define _DTRACE_COPY_WIDE
#ifndef __PIC__
#define _DTRACE_FUNCTION	[_dtrace_function] "m" (_DTRACE_FUNCTION_NAME)
#define _DTRACE_FUNCTION_TEXT	"%P[_dtrace_function] - ."
#endif

#elif defined __aarch64__ && !defined __AARCH64EB__ && !defined __ILP32__
/*
 * No single instruction can load an argument from every kind of operand, so records contain the
 * text of the note. The constraint Ump is memory at a register plus a number; other memory operands
 * could name a symbol, which tracers cannot resolve.
 */
#define _DTRACE_NOPS		nop; nop
#define _DTRACE_TRAP		4
#define _DTRACE_ADDRESS		.8byte
#ifdef __clang__
#define _DTRACE_OPERAND		"nr"
#else
#define _DTRACE_OPERAND		"nrUmp"
#endif
#define _DTRACE_TEXT(arg)	"%[" arg "]"
#define _DTRACE_KIND		"0x80"
#define _DTRACE_RECORD_ARG	_DTRACE_NOTE_ARG
#define _DTRACE_FUNCTION	[_dtrace_function] "S" (_DTRACE_FUNCTION_NAME)
#define _DTRACE_FUNCTION_TEXT	"%c[_dtrace_function] - ."
#endif

#ifndef _DTRACE_FUNCTION
#define _DTRACE_FUNCTION	[_dtrace_function] "n" (0)
#define _DTRACE_FUNCTION_TEXT	"0"
#endif

#ifdef __ASSEMBLER__
#ifndef _DTRACE_NOPS
#error "assembler files can have probes on x86-64, i386 and little-endian aarch64"
#endif

/*
 * In assembler files there is no compiler to describe an argument, so the record contains the text
 * of the note. The function is unknown.
 */
.macro _dtrace_site provider, name, args
.Ldtrace_site\@:
	_DTRACE_NOPS
	.ifndef \provider\()_\name\()_semaphore
	.pushsection .probes, "aw", @progbits
	.balign 2
	.weak \provider\()_\name\()_semaphore
	.hidden \provider\()_\name\()_semaphore
	.type \provider\()_\name\()_semaphore, @object
	.size \provider\()_\name\()_semaphore, 2
\provider\()_\name\()_semaphore:
	.zero 2
	.popsection
	.endif
	.pushsection dtrace_sites, "ao?", @progbits, .Ldtrace_site\@
	.balign 4
.Ldtrace_record\@:
	.2byte .Ldtrace_end\@ - .Ldtrace_record\@
	.byte 1, 0x80
	.4byte .Ldtrace_site\@ + _DTRACE_TRAP - .
	.4byte \provider\()_\name\()_semaphore - .
	.4byte 0
	.asciz "\provider"
	.asciz "\name"
	.asciz "\args"
	.balign 4
.Ldtrace_end\@:
	.popsection
#ifndef DTRACE_SDT_NO_NOTES
	.pushsection .note.stapsdt, "o?", @note, .Ldtrace_site\@
	.balign 4
	.4byte 8, .Ldtrace_note_end\@ - .Ldtrace_note\@, 3
	.asciz "stapsdt"
.Ldtrace_note\@:
	_DTRACE_ADDRESS .Ldtrace_site\@, _.stapsdt.base, \provider\()_\name\()_semaphore
	.asciz "\provider"
	.asciz "\name"
	.asciz "\args"
.Ldtrace_note_end\@:
	.balign 4
	.popsection
	.ifndef _.stapsdt.base
	.pushsection .stapsdt.base, "aG", @progbits, .stapsdt.base, comdat
	.weak _.stapsdt.base
	.hidden _.stapsdt.base
_.stapsdt.base:
	.zero 1
	.size _.stapsdt.base, 1
	.popsection
	.endif
#endif
.endm

/* A site whose arguments are separated by blanks. */
#define _DTRACE_SITE(provider, name, args) \
	_dtrace_site provider, name, _DTRACE_STRING(args)
#define DTRACE_PROBE0(provider, name) \
	_DTRACE_SITE(provider, name, )
#define DTRACE_PROBE1(provider, name, x1) \
	_DTRACE_SITE(provider, name, x1)
#define DTRACE_PROBE2(provider, name, x1, x2) \
	_DTRACE_SITE(provider, name, x1 x2)
#define DTRACE_PROBE3(provider, name, x1, x2, x3) \
	_DTRACE_SITE(provider, name, x1 x2 x3)
#define DTRACE_PROBE4(provider, name, x1, x2, x3, \
		x4) \
	_DTRACE_SITE(provider, name, x1 x2 x3 x4)
#define DTRACE_PROBE5(provider, name, x1, x2, x3, x4, \
		x5) \
	_DTRACE_SITE(provider, name, x1 x2 x3 x4 x5)
#define DTRACE_PROBE6(provider, name, x1, x2, x3, x4, x5, \
		x6) \
	_DTRACE_SITE(provider, name, x1 x2 x3 x4 x5 x6)
#define DTRACE_PROBE7(provider, name, x1, x2, x3, x4, x5, x6, \
		x7) \
	_DTRACE_SITE(provider, name, x1 x2 x3 x4 x5 x6 x7)
#define DTRACE_PROBE8(provider, name, x1, x2, x3, x4, x5, x6, x7, \
		x8) \
	_DTRACE_SITE(provider, name, x1 x2 x3 x4 x5 x6 x7 x8)
#define DTRACE_PROBE9(provider, name, x1, x2, x3, x4, x5, x6, x7, x8, \
		x9) \
	_DTRACE_SITE(provider, name, x1 x2 x3 x4 x5 x6 x7 x8 x9)
#define DTRACE_PROBE10(provider, name, x1, x2, x3, x4, x5, x6, x7, x8, x9, \
		x10) \
	_DTRACE_SITE(provider, name, x1 x2 x3 x4 x5 x6 x7 x8 x9 x10)
#define DTRACE_PROBE11(provider, name, x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, \
		x11) \
	_DTRACE_SITE(provider, name, x1 x2 x3 x4 x5 x6 x7 x8 x9 x10 x11)
#define DTRACE_PROBE12(provider, name, x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, \
		x12) \
	_DTRACE_SITE(provider, name, x1 x2 x3 x4 x5 x6 x7 x8 x9 x10 x11 x12)
#else

/* For headers: no standard before C99 and C++11 has long long. */
typedef long long _dtrace_int64;
typedef unsigned long long _dtrace_uint64;

/* Make a name with a hyphen an error of the compiler, with the line of the probe. */
#define _DTRACE_IDENTIFIERS(provider, name) \
	struct _dtrace_names_are_identifiers_##provider##_##name;

#if defined __GNUC__ && defined _DTRACE_NOPS && !defined SDT_USE_CALLS

#ifdef STAP_SDT_ARG_CONSTRAINT
#undef _DTRACE_OPERAND
#define _DTRACE_OPERAND		_DTRACE_STRING(STAP_SDT_ARG_CONSTRAINT)
#endif

/* Have the compiler count the assembly as one instruction when it decides about inlining. */
#if __GNUC__ >= 9 || (defined __clang_major__ && __clang_major__ >= 11)
#define _DTRACE_ASM		__asm__ __inline__ __volatile__
#else
#define _DTRACE_ASM		__asm__ __volatile__
#endif

/*
 * Suppress warnings: clang does not treat the expansion of a system header's macro as the header's.
 */
#ifdef __clang__
#define _DTRACE_QUIET \
	_Pragma("clang diagnostic push") _Pragma("clang diagnostic ignored \"-Wpedantic\"") \
	_Pragma("clang diagnostic ignored \"-Wunevaluated-expression\"") \
	_Pragma("clang diagnostic ignored \"-Wpredefined-identifier-outside-function\"")
#define _DTRACE_QUIET_END \
	_Pragma("clang diagnostic pop")
#else
#define _DTRACE_QUIET
#define _DTRACE_QUIET_END
#endif

/* Retain the notes' base section, to which no code refers, if the assembler supports that. */
#define _DTRACE_RETAIN		""
#ifdef __has_attribute
#if __has_attribute(__retain__)
#undef _DTRACE_RETAIN
#define _DTRACE_RETAIN		"R"
#endif
#endif

/*
 * The kind of an argument: the first byte of its record (see dtrace/site.h), a constant. Promotions
 * would cost instructions, so the type is that of the expression, with arrays and functions
 * decayed. GCC's value of a statement expression has a bit-field's own type; clang's would remain
 * atomic.
 */
#ifdef __clang__
#define _DTRACE_RVALUE(x)	((void)0, (x))
#else
#define _DTRACE_RVALUE(x)	__extension__ ({ (x); })
#endif
#define _DTRACE_SIZE(size) \
	((size) == 8 ? 0x13 : (size) == 4 ? 0x12 : (size) == 2 ? 0x11 : 0x10)
#define _DTRACE_FITS(size)	((size) == 8 || (size) == 4 || (size) == 2 || (size) == 1)

#ifdef __cplusplus
extern "C++" {

template <bool> struct _dtrace_probe_takes_no_structure_pass_the_address;
template <> struct _dtrace_probe_takes_no_structure_pass_the_address<true> {
	enum { _dtrace_ok };
};

template <bool> struct _dtrace_provider_at_most_52_characters_probe_63;
template <> struct _dtrace_provider_at_most_52_characters_probe_63<true> {
	enum { _dtrace_ok };
};

template <class __dtT> struct _dtrace_flags {
	enum { _dtrace_bits = 0 };
};
#define _DTRACE_FLAGS(type, flags) \
	template <> struct _dtrace_flags<type> { \
		enum { _dtrace_bits = flags }; \
	}
_DTRACE_FLAGS(char, (char)-1 < (char)1 ? 4 : 0);
_DTRACE_FLAGS(signed char, 4);
_DTRACE_FLAGS(short, 4);
_DTRACE_FLAGS(int, 4);
_DTRACE_FLAGS(long, 4);
_DTRACE_FLAGS(long long, 4);
_DTRACE_FLAGS(wchar_t, (wchar_t)-1 < (wchar_t)1 ? 4 : 0);
_DTRACE_FLAGS(float, 8);
_DTRACE_FLAGS(double, 8);
#undef _DTRACE_FLAGS

template <class __dtT, bool _dtrace_is_enum> struct _dtrace_plain {
	typedef __dtT _dtrace_t;
};
template <class __dtT> struct _dtrace_plain<__dtT, true> {
	typedef __underlying_type(__dtT) _dtrace_t;
};

template <class __dtT> struct _dtrace_argument {
	enum {
		_dtrace_fits = _DTRACE_FITS(sizeof(__dtT)) && !__is_class(__dtT) &&
			       !__is_union(__dtT),
#if __cplusplus < 201103L
		_dtrace_checked =
			_dtrace_probe_takes_no_structure_pass_the_address<_dtrace_fits>::_dtrace_ok,
#endif
		_dtrace_bits = _DTRACE_SIZE(sizeof(__dtT)) |
			       _dtrace_flags<typename _dtrace_plain<__dtT, __is_enum(__dtT)>::
						     _dtrace_t>::_dtrace_bits
	};
#if __cplusplus >= 201103L
	static_assert(_dtrace_fits, "a probe takes no structure: pass the address");
#endif
};

/*
 * An array whose number of elements is the result. The parameter is by value, so that arrays decay.
 */
template <class __dtT> char (&_dtrace_type(__dtT))[_dtrace_argument<__dtT>::_dtrace_bits];
#if __cplusplus < 201103L
/* Unnamed types and types local to a function cannot be template arguments. */
char (&_dtrace_type(const volatile void *))[_DTRACE_SIZE(sizeof(void *))];
char (&_dtrace_type(...))[_DTRACE_SIZE(sizeof(int)) | 4];
#endif

} /* extern "C++" */
#define _DTRACE_TYPE(x)		((int)sizeof(_dtrace_type((x))))
#define _DTRACE_NAMES(fit)	_dtrace_provider_at_most_52_characters_probe_63<(fit)>::_dtrace_ok
#else
#define _DTRACE_NAMES(fit) \
	sizeof(struct { int provider_at_most_52_characters_probe_63 : (fit) ? 1 : -1; })
#define _DTRACE_TYPEOF(x)	__typeof__(_DTRACE_RVALUE(x))
#define _DTRACE_IS_REAL(x)	(__builtin_classify_type(x) == 8)
#define _DTRACE_IS_POINTER(x)	(__builtin_classify_type(x) == 5)
#define _DTRACE_IS_INTEGER(x)	(__builtin_classify_type(x) >= 1 && __builtin_classify_type(x) <= 4)
#define _DTRACE_IS_SIGNED(x) \
	((__typeof__(__builtin_choose_expr(_DTRACE_IS_INTEGER(x), \
					   _DTRACE_RVALUE(x), 0U)))-1 < 1)
/* glibc redefines _Static_assert in C89; the name appears in the error message instead. */
#define _DTRACE_ASSERT(x) \
	sizeof(struct { \
		int a_probe_takes_no_structure_pass_the_address : \
			_DTRACE_FITS(sizeof(_DTRACE_TYPEOF(x))) && \
			(_DTRACE_IS_INTEGER(x) || _DTRACE_IS_POINTER(x) || _DTRACE_IS_REAL(x)) ? \
			1 : -1; \
	})
#define _DTRACE_TYPE(x) \
	((int)(_DTRACE_SIZE(sizeof(_DTRACE_TYPEOF(x))) | (_DTRACE_IS_REAL(x) ? 8 : 0) | \
	       (_DTRACE_IS_SIGNED(x) ? 4 : 0) | 0 * _DTRACE_ASSERT(x)))
#endif

/*
 * The operand. Two cases need a copy. clang leaves all but one bit of a bool undefined. Constants
 * of 8 bytes do not fit into the instruction of a 32-bit record, so they must not appear constant.
 */
#if !defined __clang__ && !defined _DTRACE_COPY_WIDE
#define _DTRACE_VALUE(x)	(x)
#elif defined __cplusplus
extern "C++" {
template <class __dtT>
__inline__ __attribute__((__always_inline__)) __dtT _dtrace_value(__dtT _dtrace_x)
{
	if (sizeof(__dtT) > sizeof(long))
		__asm__ ("" : "+rm" (_dtrace_x));
	return _dtrace_x;
}
__inline__ __attribute__((__always_inline__)) unsigned char _dtrace_value(bool _dtrace_x)
{
	return _dtrace_x;
}
}
#define _DTRACE_VALUE(x)	(_dtrace_value(x))
#else
#define _DTRACE_VALUE(x) (__extension__ ({ \
	__typeof__(__builtin_choose_expr( \
		__builtin_types_compatible_p(_DTRACE_TYPEOF(x), _Bool), \
		(unsigned char)0, _DTRACE_RVALUE(x))) _dtrace_x = (x); \
	if (sizeof(_dtrace_x) > sizeof(long)) \
		__asm__ ("" : "+rm" (_dtrace_x)); \
	_dtrace_x; \
}))
#endif

/*
 * The semaphore. Each file that uses it defines it once; the linker keeps one for each program or
 * library. If the program defines it, the compiler must not consider it unused.
 */
#ifdef _SDT_HAS_SEMAPHORES
#define _DTRACE_SEMAPHORE(symbol)	".hidden " symbol "\n\t"
#define _DTRACE_USE(provider, name)	_DTRACE_USE_(provider, name)
#define _DTRACE_USE_(provider, name) \
	_DTRACE_IDENTIFIERS(provider, name) \
	__asm__ __volatile__ ("" : : "m" (provider##_##name##_semaphore));
#else
#define _DTRACE_USE(provider, name)	_DTRACE_IDENTIFIERS(provider, name)
#define _DTRACE_SEMAPHORE(symbol) \
	".ifndef " symbol "\n\t" \
	".pushsection .probes, \"aw\", @progbits\n\t" \
	".balign 2\n\t" \
	".weak " symbol "\n\t" \
	".hidden " symbol "\n\t" \
	".type " symbol ", @object\n\t" \
	".size " symbol ", 2\n" \
	symbol ":\n\t" \
	".zero 2\n\t" \
	".popsection\n\t" \
	".endif\n\t"
#endif

/* struct dtrace_site_record. Labels end in `unique`. */
#define _DTRACE_RECORD(unique, kind, function, provider, name, args) \
	".pushsection dtrace_sites, \"ao?\", @progbits, .Ldtrace_site" unique "\n\t" \
	".balign 4\n" \
	".Ldtrace_record" unique ":\n\t" \
	".2byte .Ldtrace_end" unique " - .Ldtrace_record" unique "\n\t" \
	".byte 1, " kind "\n\t" \
	".4byte .Ldtrace_site" unique " + " _DTRACE_STRING(_DTRACE_TRAP) " - .\n\t" \
	".4byte " provider "_" name "_semaphore - .\n\t" \
	".4byte " function "\n\t" \
	".asciz \"" provider "\"\n\t" \
	".asciz \"" name "\"\n\t" \
	args \
	".byte 0\n\t" \
	".balign 4\n" \
	".Ldtrace_end" unique ":\n\t" \
	".popsection\n\t"
#define _DTRACE_RECORD_CODE(types, shift, instruction) \
	".byte (%c[" types "] >> " shift ") & 31\n\t" \
	instruction "\n\t"

/* A SystemTap note, version 3; its arguments are text such as -4@%eax, 8f@16(%rsp). */
#ifdef DTRACE_SDT_NO_NOTES
#define _DTRACE_NOTE(unique, provider, name, args)	""
#else
#define _DTRACE_NOTE(unique, provider, name, args) \
	".pushsection .note.stapsdt, \"o?\", @note, .Ldtrace_site" unique "\n\t" \
	".balign 4\n\t" \
	".4byte 8, .Ldtrace_note_end" unique " - .Ldtrace_note" unique ", 3\n\t" \
	".asciz \"stapsdt\"\n" \
	".Ldtrace_note" unique ":\n\t" \
	_DTRACE_STRING(_DTRACE_ADDRESS) " .Ldtrace_site" unique "\n\t" \
	_DTRACE_STRING(_DTRACE_ADDRESS) " _.stapsdt.base\n\t" \
	_DTRACE_STRING(_DTRACE_ADDRESS) " " provider "_" name "_semaphore\n\t" \
	".asciz \"" provider "\"\n\t" \
	".asciz \"" name "\"\n\t" \
	args \
	".byte 0\n" \
	".Ldtrace_note_end" unique ":\n\t" \
	".balign 4\n\t" \
	".popsection\n\t" \
	".ifndef _.stapsdt.base\n\t" \
	".pushsection .stapsdt.base, \"aG" _DTRACE_RETAIN "\", @progbits, " \
	".stapsdt.base, comdat\n\t" \
	".weak _.stapsdt.base\n\t" \
	".hidden _.stapsdt.base\n" \
	"_.stapsdt.base:\n\t" \
	".zero 1\n\t" \
	".size _.stapsdt.base, 1\n\t" \
	".popsection\n\t" \
	".endif\n\t"
#endif
#define _DTRACE_NOTE_ARG(space, arg, types, shift) \
	".ascii \"" space "\"\n\t" \
	".fill (%c[" types "] >> " shift " >> 2) & 1, 1, 0x2d\n\t" \
	".byte 0x30 + (1 << ((%c[" types "] >> " shift ") & 3))\n\t" \
	".fill (%c[" types "] >> " shift " >> 3) & 1, 1, 0x66\n\t" \
	".ascii \"@" _DTRACE_TEXT(arg) "\"\n\t"

#define _DTRACE_RECORD_ARGS1	_DTRACE_RECORD_ARG("", "_dtrace_a1", "_dtrace_types1", "0")
#define _DTRACE_RECORD_ARGS2	_DTRACE_RECORD_ARGS1 _DTRACE_RECORD_ARG(" ", "_dtrace_a2", \
		"_dtrace_types1", "5")
#define _DTRACE_RECORD_ARGS3	_DTRACE_RECORD_ARGS2 _DTRACE_RECORD_ARG(" ", "_dtrace_a3", \
		"_dtrace_types1", "10")
#define _DTRACE_RECORD_ARGS4	_DTRACE_RECORD_ARGS3 _DTRACE_RECORD_ARG(" ", "_dtrace_a4", \
		"_dtrace_types1", "15")
#define _DTRACE_RECORD_ARGS5	_DTRACE_RECORD_ARGS4 _DTRACE_RECORD_ARG(" ", "_dtrace_a5", \
		"_dtrace_types1", "20")
#define _DTRACE_RECORD_ARGS6	_DTRACE_RECORD_ARGS5 _DTRACE_RECORD_ARG(" ", "_dtrace_a6", \
		"_dtrace_types1", "25")
#define _DTRACE_RECORD_ARGS7	_DTRACE_RECORD_ARGS6 _DTRACE_RECORD_ARG(" ", "_dtrace_a7", \
		"_dtrace_types2", "0")
#define _DTRACE_RECORD_ARGS8	_DTRACE_RECORD_ARGS7 _DTRACE_RECORD_ARG(" ", "_dtrace_a8", \
		"_dtrace_types2", "5")
#define _DTRACE_RECORD_ARGS9	_DTRACE_RECORD_ARGS8 _DTRACE_RECORD_ARG(" ", "_dtrace_a9", \
		"_dtrace_types2", "10")
#define _DTRACE_RECORD_ARGS10	_DTRACE_RECORD_ARGS9 _DTRACE_RECORD_ARG(" ", "_dtrace_a10", \
		"_dtrace_types2", "15")
#define _DTRACE_RECORD_ARGS11	_DTRACE_RECORD_ARGS10 _DTRACE_RECORD_ARG(" ", "_dtrace_a11", \
		"_dtrace_types2", "20")
#define _DTRACE_RECORD_ARGS12	_DTRACE_RECORD_ARGS11 _DTRACE_RECORD_ARG(" ", "_dtrace_a12", \
		"_dtrace_types2", "25")

#define _DTRACE_NOTE_ARGS1	_DTRACE_NOTE_ARG("", "_dtrace_a1", "_dtrace_types1", "0")
#define _DTRACE_NOTE_ARGS2	_DTRACE_NOTE_ARGS1 _DTRACE_NOTE_ARG(" ", "_dtrace_a2", \
		"_dtrace_types1", "5")
#define _DTRACE_NOTE_ARGS3	_DTRACE_NOTE_ARGS2 _DTRACE_NOTE_ARG(" ", "_dtrace_a3", \
		"_dtrace_types1", "10")
#define _DTRACE_NOTE_ARGS4	_DTRACE_NOTE_ARGS3 _DTRACE_NOTE_ARG(" ", "_dtrace_a4", \
		"_dtrace_types1", "15")
#define _DTRACE_NOTE_ARGS5	_DTRACE_NOTE_ARGS4 _DTRACE_NOTE_ARG(" ", "_dtrace_a5", \
		"_dtrace_types1", "20")
#define _DTRACE_NOTE_ARGS6	_DTRACE_NOTE_ARGS5 _DTRACE_NOTE_ARG(" ", "_dtrace_a6", \
		"_dtrace_types1", "25")
#define _DTRACE_NOTE_ARGS7	_DTRACE_NOTE_ARGS6 _DTRACE_NOTE_ARG(" ", "_dtrace_a7", \
		"_dtrace_types2", "0")
#define _DTRACE_NOTE_ARGS8	_DTRACE_NOTE_ARGS7 _DTRACE_NOTE_ARG(" ", "_dtrace_a8", \
		"_dtrace_types2", "5")
#define _DTRACE_NOTE_ARGS9	_DTRACE_NOTE_ARGS8 _DTRACE_NOTE_ARG(" ", "_dtrace_a9", \
		"_dtrace_types2", "10")
#define _DTRACE_NOTE_ARGS10	_DTRACE_NOTE_ARGS9 _DTRACE_NOTE_ARG(" ", "_dtrace_a10", \
		"_dtrace_types2", "15")
#define _DTRACE_NOTE_ARGS11	_DTRACE_NOTE_ARGS10 _DTRACE_NOTE_ARG(" ", "_dtrace_a11", \
		"_dtrace_types2", "20")
#define _DTRACE_NOTE_ARGS12	_DTRACE_NOTE_ARGS11 _DTRACE_NOTE_ARG(" ", "_dtrace_a12", \
		"_dtrace_types2", "25")

#define _DTRACE_TYPES1(x1)	_DTRACE_TYPE(x1)
#define _DTRACE_TYPES2(x1, x2) \
	(_DTRACE_TYPES1(x1) | _DTRACE_TYPE(x2) << 5)
#define _DTRACE_TYPES3(x1, x2, x3) \
	(_DTRACE_TYPES2(x1, x2) | _DTRACE_TYPE(x3) << 10)
#define _DTRACE_TYPES4(x1, x2, x3, x4) \
	(_DTRACE_TYPES3(x1, x2, x3) | _DTRACE_TYPE(x4) << 15)
#define _DTRACE_TYPES5(x1, x2, x3, x4, x5) \
	(_DTRACE_TYPES4(x1, x2, x3, x4) | _DTRACE_TYPE(x5) << 20)
#define _DTRACE_TYPES6(x1, x2, x3, x4, x5, x6) \
	(_DTRACE_TYPES5(x1, x2, x3, x4, x5) | _DTRACE_TYPE(x6) << 25)

#define _DTRACE_VALUES1(x1)	[_dtrace_a1] _DTRACE_OPERAND _DTRACE_VALUE(x1)
#define _DTRACE_VALUES2(x1, x2) \
	_DTRACE_VALUES1(x1), [_dtrace_a2] _DTRACE_OPERAND _DTRACE_VALUE(x2)
#define _DTRACE_VALUES3(x1, x2, x3) \
	_DTRACE_VALUES2(x1, x2), [_dtrace_a3] _DTRACE_OPERAND _DTRACE_VALUE(x3)
#define _DTRACE_VALUES4(x1, x2, x3, x4) \
	_DTRACE_VALUES3(x1, x2, x3), [_dtrace_a4] _DTRACE_OPERAND _DTRACE_VALUE(x4)
#define _DTRACE_VALUES5(x1, x2, x3, x4, x5) \
	_DTRACE_VALUES4(x1, x2, x3, x4), [_dtrace_a5] _DTRACE_OPERAND _DTRACE_VALUE(x5)
#define _DTRACE_VALUES6(x1, x2, x3, x4, x5, x6) \
	_DTRACE_VALUES5(x1, x2, x3, x4, x5), [_dtrace_a6] _DTRACE_OPERAND _DTRACE_VALUE(x6)
#define _DTRACE_VALUES7(x1, x2, x3, x4, x5, x6, x7) \
	_DTRACE_VALUES6(x1, x2, x3, x4, x5, x6), [_dtrace_a7] _DTRACE_OPERAND _DTRACE_VALUE(x7)
#define _DTRACE_VALUES8(x1, x2, x3, x4, x5, x6, x7, x8) \
	_DTRACE_VALUES7(x1, x2, x3, x4, x5, x6, x7), \
		[_dtrace_a8] _DTRACE_OPERAND _DTRACE_VALUE(x8)
#define _DTRACE_VALUES9(x1, x2, x3, x4, x5, x6, x7, x8, x9) \
	_DTRACE_VALUES8(x1, x2, x3, x4, x5, x6, x7, x8), \
		[_dtrace_a9] _DTRACE_OPERAND _DTRACE_VALUE(x9)
#define _DTRACE_VALUES10(x1, x2, x3, x4, x5, x6, x7, x8, x9, x10) \
	_DTRACE_VALUES9(x1, x2, x3, x4, x5, x6, x7, x8, x9), \
		[_dtrace_a10] _DTRACE_OPERAND _DTRACE_VALUE(x10)
#define _DTRACE_VALUES11(x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11) \
	_DTRACE_VALUES10(x1, x2, x3, x4, x5, x6, x7, x8, x9, x10), \
		[_dtrace_a11] _DTRACE_OPERAND _DTRACE_VALUE(x11)
#define _DTRACE_VALUES12(x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12) \
	_DTRACE_VALUES11(x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11), \
		[_dtrace_a12] _DTRACE_OPERAND _DTRACE_VALUE(x12)

/*
 * A site, up to the list of the compiler's operands. The first instruction is written as an
 * instruction, so that the line table has its line here and not in the record.
 */
#define _DTRACE_SITE(provider, name, record_args, note_args) \
	do { \
		_DTRACE_QUIET \
		_DTRACE_ASM ( \
			"\n.Ldtrace_site%=:\n\t" \
			_DTRACE_STRING(_DTRACE_NOPS) "\n\t" \
			_DTRACE_SEMAPHORE(provider "_" name "_semaphore") \
			_DTRACE_RECORD("%=", _DTRACE_KIND, _DTRACE_FUNCTION_TEXT, provider, name, \
				       record_args) \
			_DTRACE_NOTE("%=", provider, name, note_args) \
			: : [_dtrace_names] "n" \
			(_DTRACE_NAMES(sizeof(provider) <= 53 && sizeof(name) <= 64)), \
			_DTRACE_FUNCTION
#define _DTRACE_SITE_END \
			: "memory"); \
		_DTRACE_QUIET_END \
	} while (0)

#define _DTRACE_SITE0(provider, name) \
	_DTRACE_SITE(provider, name, "", "") _DTRACE_SITE_END
#define _DTRACE_SITE1(provider, name, x1) \
	_DTRACE_SITE(provider, name, _DTRACE_RECORD_ARGS1, _DTRACE_NOTE_ARGS1), \
		[_dtrace_types1] "n" (_DTRACE_TYPES1(x1)), \
		_DTRACE_VALUES1(x1) _DTRACE_SITE_END
#define _DTRACE_SITE2(provider, name, x1, x2) \
	_DTRACE_SITE(provider, name, _DTRACE_RECORD_ARGS2, _DTRACE_NOTE_ARGS2), \
		[_dtrace_types1] "n" (_DTRACE_TYPES2(x1, x2)), \
		_DTRACE_VALUES2(x1, x2) _DTRACE_SITE_END
#define _DTRACE_SITE3(provider, name, x1, x2, x3) \
	_DTRACE_SITE(provider, name, _DTRACE_RECORD_ARGS3, _DTRACE_NOTE_ARGS3), \
		[_dtrace_types1] "n" (_DTRACE_TYPES3(x1, x2, x3)), \
		_DTRACE_VALUES3(x1, x2, x3) _DTRACE_SITE_END
#define _DTRACE_SITE4(provider, name, x1, x2, x3, x4) \
	_DTRACE_SITE(provider, name, _DTRACE_RECORD_ARGS4, _DTRACE_NOTE_ARGS4), \
		[_dtrace_types1] "n" (_DTRACE_TYPES4(x1, x2, x3, x4)), \
		_DTRACE_VALUES4(x1, x2, x3, x4) _DTRACE_SITE_END
#define _DTRACE_SITE5(provider, name, x1, x2, x3, x4, x5) \
	_DTRACE_SITE(provider, name, _DTRACE_RECORD_ARGS5, _DTRACE_NOTE_ARGS5), \
		[_dtrace_types1] "n" (_DTRACE_TYPES5(x1, x2, x3, x4, x5)), \
		_DTRACE_VALUES5(x1, x2, x3, x4, x5) _DTRACE_SITE_END
#define _DTRACE_SITE6(provider, name, x1, x2, x3, x4, x5, x6) \
	_DTRACE_SITE(provider, name, _DTRACE_RECORD_ARGS6, _DTRACE_NOTE_ARGS6), \
		[_dtrace_types1] "n" (_DTRACE_TYPES6(x1, x2, x3, x4, x5, x6)), \
		_DTRACE_VALUES6(x1, x2, x3, x4, x5, x6) _DTRACE_SITE_END
#define _DTRACE_SITE7(provider, name, x1, x2, x3, x4, x5, x6, x7) \
	_DTRACE_SITE(provider, name, _DTRACE_RECORD_ARGS7, _DTRACE_NOTE_ARGS7), \
		[_dtrace_types1] "n" (_DTRACE_TYPES6(x1, x2, x3, x4, x5, x6)), \
		[_dtrace_types2] "n" (_DTRACE_TYPES1(x7)), \
		_DTRACE_VALUES7(x1, x2, x3, x4, x5, x6, x7) _DTRACE_SITE_END
#define _DTRACE_SITE8(provider, name, x1, x2, x3, x4, x5, x6, x7, x8) \
	_DTRACE_SITE(provider, name, _DTRACE_RECORD_ARGS8, _DTRACE_NOTE_ARGS8), \
		[_dtrace_types1] "n" (_DTRACE_TYPES6(x1, x2, x3, x4, x5, x6)), \
		[_dtrace_types2] "n" (_DTRACE_TYPES2(x7, x8)), \
		_DTRACE_VALUES8(x1, x2, x3, x4, x5, x6, x7, x8) _DTRACE_SITE_END
#define _DTRACE_SITE9(provider, name, x1, x2, x3, x4, x5, x6, x7, x8, x9) \
	_DTRACE_SITE(provider, name, _DTRACE_RECORD_ARGS9, _DTRACE_NOTE_ARGS9), \
		[_dtrace_types1] "n" (_DTRACE_TYPES6(x1, x2, x3, x4, x5, x6)), \
		[_dtrace_types2] "n" (_DTRACE_TYPES3(x7, x8, x9)), \
		_DTRACE_VALUES9(x1, x2, x3, x4, x5, x6, x7, x8, x9) _DTRACE_SITE_END
#define _DTRACE_SITE10(provider, name, x1, x2, x3, x4, x5, x6, x7, x8, x9, x10) \
	_DTRACE_SITE(provider, name, _DTRACE_RECORD_ARGS10, _DTRACE_NOTE_ARGS10), \
		[_dtrace_types1] "n" (_DTRACE_TYPES6(x1, x2, x3, x4, x5, x6)), \
		[_dtrace_types2] "n" (_DTRACE_TYPES4(x7, x8, x9, x10)), \
		_DTRACE_VALUES10(x1, x2, x3, x4, x5, x6, x7, x8, x9, x10) _DTRACE_SITE_END
#define _DTRACE_SITE11(provider, name, x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11) \
	_DTRACE_SITE(provider, name, _DTRACE_RECORD_ARGS11, _DTRACE_NOTE_ARGS11), \
		[_dtrace_types1] "n" (_DTRACE_TYPES6(x1, x2, x3, x4, x5, x6)), \
		[_dtrace_types2] "n" (_DTRACE_TYPES5(x7, x8, x9, x10, x11)), \
		_DTRACE_VALUES11(x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11) _DTRACE_SITE_END
#define _DTRACE_SITE12(provider, name, x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12) \
	_DTRACE_SITE(provider, name, _DTRACE_RECORD_ARGS12, _DTRACE_NOTE_ARGS12), \
		[_dtrace_types1] "n" (_DTRACE_TYPES6(x1, x2, x3, x4, x5, x6)), \
		[_dtrace_types2] "n" (_DTRACE_TYPES6(x7, x8, x9, x10, x11, x12)), \
		_DTRACE_VALUES12(x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, \
			x12) _DTRACE_SITE_END

#define DTRACE_PROBE_ENABLED(provider, name)	_DTRACE_ENABLED(provider, name)
#define DTRACE_PROBE0(provider, name) do { \
	_DTRACE_USE(provider, name) \
	_DTRACE_SITE0(_DTRACE_STRING(provider), _DTRACE_STRING(name)); \
} while (0)
#define DTRACE_PROBE1(provider, name, x1) do { \
	_DTRACE_USE(provider, name) \
	_DTRACE_SITE1(_DTRACE_STRING(provider), _DTRACE_STRING(name), x1); \
} while (0)
#define DTRACE_PROBE2(provider, name, x1, x2) do { \
	_DTRACE_USE(provider, name) \
	_DTRACE_SITE2(_DTRACE_STRING(provider), _DTRACE_STRING(name), x1, x2); \
} while (0)
#define DTRACE_PROBE3(provider, name, x1, x2, x3) do { \
	_DTRACE_USE(provider, name) \
	_DTRACE_SITE3(_DTRACE_STRING(provider), _DTRACE_STRING(name), x1, x2, x3); \
} while (0)
#define DTRACE_PROBE4(provider, name, x1, x2, x3, x4) do { \
	_DTRACE_USE(provider, name) \
	_DTRACE_SITE4(_DTRACE_STRING(provider), _DTRACE_STRING(name), x1, x2, x3, x4); \
} while (0)
#define DTRACE_PROBE5(provider, name, x1, x2, x3, x4, x5) do { \
	_DTRACE_USE(provider, name) \
	_DTRACE_SITE5(_DTRACE_STRING(provider), _DTRACE_STRING(name), x1, x2, x3, x4, x5); \
} while (0)
#define DTRACE_PROBE6(provider, name, x1, x2, x3, x4, x5, x6) do { \
	_DTRACE_USE(provider, name) \
	_DTRACE_SITE6(_DTRACE_STRING(provider), _DTRACE_STRING(name), x1, x2, x3, x4, x5, x6); \
} while (0)
#define DTRACE_PROBE7(provider, name, x1, x2, x3, x4, x5, x6, x7) do { \
	_DTRACE_USE(provider, name) \
	_DTRACE_SITE7(_DTRACE_STRING(provider), _DTRACE_STRING(name), x1, x2, x3, x4, x5, x6, \
		x7); \
} while (0)
#define DTRACE_PROBE8(provider, name, x1, x2, x3, x4, x5, x6, x7, x8) do { \
	_DTRACE_USE(provider, name) \
	_DTRACE_SITE8(_DTRACE_STRING(provider), _DTRACE_STRING(name), x1, x2, x3, x4, x5, x6, \
		x7, x8); \
} while (0)
#define DTRACE_PROBE9(provider, name, x1, x2, x3, x4, x5, x6, x7, x8, x9) do { \
	_DTRACE_USE(provider, name) \
	_DTRACE_SITE9(_DTRACE_STRING(provider), _DTRACE_STRING(name), x1, x2, x3, x4, x5, x6, \
		x7, x8, x9); \
} while (0)
#define DTRACE_PROBE10(provider, name, x1, x2, x3, x4, x5, x6, x7, x8, x9, x10) do { \
	_DTRACE_USE(provider, name) \
	_DTRACE_SITE10(_DTRACE_STRING(provider), _DTRACE_STRING(name), x1, x2, x3, x4, x5, x6, \
		x7, x8, x9, x10); \
} while (0)
#define DTRACE_PROBE11(provider, name, x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11) do { \
	_DTRACE_USE(provider, name) \
	_DTRACE_SITE11(_DTRACE_STRING(provider), _DTRACE_STRING(name), x1, x2, x3, x4, x5, x6, \
		x7, x8, x9, x10, x11); \
} while (0)
#define DTRACE_PROBE12(provider, name, x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12) do { \
	_DTRACE_USE(provider, name) \
	_DTRACE_SITE12(_DTRACE_STRING(provider), _DTRACE_STRING(name), x1, x2, x3, x4, x5, x6, \
		x7, x8, x9, x10, x11, x12); \
} while (0)

/*
 * A site within other assembly: an assembler macro, so that each expansion has new labels. clang's
 * assembler restarts its count of macros in each statement. There the first free one of 256 labels
 * is used, which is enough for the copies that inlining makes of a statement.
 *
 * The arguments are a string, or the two words that STAP_PROBE_ASM_TEMPLATE makes of operands.
 */
#ifdef __clang__
#define _DTRACE_ASM_UNIQUE	"\\unique"
#define _DTRACE_ASM_USE(name) \
	_DTRACE_ASM_USE_("_" name "_" _DTRACE_STRING(__COUNTER__) "_\\first\\second\n")
#define _DTRACE_ASM_USE_(unique) \
	".set .Ldtrace_site_made, 0\n" \
	".irpc first, abcdefghijklmnop\n" \
	".irpc second, abcdefghijklmnop\n" \
	".if .Ldtrace_site_made == 0\n" \
	".ifndef .Ldtrace_site" unique \
	".set .Ldtrace_site_made, 1\n" \
	"_dtrace_site " unique \
	".endif\n" \
	".endif\n" \
	".endr\n" \
	".endr\n" \
	".if .Ldtrace_site_made == 0\n" \
	".error \"more than 256 copies of one STAP_PROBE_ASM\"\n" \
	".endif\n"
#else
#define _DTRACE_ASM_UNIQUE	"_asm\\@"	/* not to be the number of another statement */
#define _DTRACE_ASM_USE(name)	"_dtrace_site\n"
#endif
#ifdef _DTRACE_VARIADIC
#define STAP_PROBE_ASM(provider, ...) \
	_DTRACE_CHOOSE(_DTRACE_ASM_SITE, _DTRACE_COUNT(__VA_ARGS__), _DTRACE_STRING(provider), \
		       __VA_ARGS__)
#define STAP_PROBE_ASM_OPERANDS(n, ...)	_DTRACE_ASM_OPERANDS##n(__VA_ARGS__)
#define STAP_PROBE_ASM_TEMPLATE(n)	_DTRACE_ASM_TEMPLATE##n, _
#define _DTRACE_ASM_SITE0(provider, name) \
	_DTRACE_ASM_SITE_TEXT(provider, _DTRACE_STRING(name), "")
#define _DTRACE_ASM_SITE1(provider, name, args) \
	_DTRACE_ASM_SITE_TEXT(provider, _DTRACE_STRING(name), ".ascii \"" #args "\"")
#define _DTRACE_ASM_SITE2(provider, name, directives, _) \
	_DTRACE_ASM_SITE_TEXT(provider, _DTRACE_STRING(name), directives)
#define _DTRACE_ASM_SITE_TEXT(provider, name, args) \
	"\n.macro _dtrace_args\n\t" args "\n.endm\n" \
	".macro _dtrace_site unique\n" \
	".Ldtrace_site" _DTRACE_ASM_UNIQUE ":\n\t" \
	_DTRACE_STRING(_DTRACE_NOPS) "\n\t" \
	_DTRACE_SEMAPHORE(provider "_" name "_semaphore") \
	_DTRACE_RECORD(_DTRACE_ASM_UNIQUE, "0x80", "0", provider, name, "_dtrace_args\n\t") \
	_DTRACE_NOTE(_DTRACE_ASM_UNIQUE, provider, name, "_dtrace_args\n\t") \
	"\n.endm\n" \
	_DTRACE_ASM_USE(provider "_" name) \
	".purgem _dtrace_site\n\t" \
	".purgem _dtrace_args\n\t"
#define _DTRACE_ASM_TEMPLATE0	""
#define _DTRACE_ASM_TEMPLATE1	_DTRACE_NOTE_ARGS1
#define _DTRACE_ASM_TEMPLATE2	_DTRACE_NOTE_ARGS2
#define _DTRACE_ASM_TEMPLATE3	_DTRACE_NOTE_ARGS3
#define _DTRACE_ASM_TEMPLATE4	_DTRACE_NOTE_ARGS4
#define _DTRACE_ASM_TEMPLATE5	_DTRACE_NOTE_ARGS5
#define _DTRACE_ASM_TEMPLATE6	_DTRACE_NOTE_ARGS6
#define _DTRACE_ASM_TEMPLATE7	_DTRACE_NOTE_ARGS7
#define _DTRACE_ASM_TEMPLATE8	_DTRACE_NOTE_ARGS8
#define _DTRACE_ASM_TEMPLATE9	_DTRACE_NOTE_ARGS9
#define _DTRACE_ASM_TEMPLATE10	_DTRACE_NOTE_ARGS10
#define _DTRACE_ASM_TEMPLATE11	_DTRACE_NOTE_ARGS11
#define _DTRACE_ASM_TEMPLATE12	_DTRACE_NOTE_ARGS12
#define _DTRACE_ASM_OPERANDS0()	[_dtrace_types1] "n" (0)
#define _DTRACE_ASM_OPERANDS1(x1) \
	[_dtrace_types1] "n" (_DTRACE_TYPES1(x1)), \
	_DTRACE_VALUES1(x1)
#define _DTRACE_ASM_OPERANDS2(x1, x2) \
	[_dtrace_types1] "n" (_DTRACE_TYPES2(x1, x2)), \
	_DTRACE_VALUES2(x1, x2)
#define _DTRACE_ASM_OPERANDS3(x1, x2, x3) \
	[_dtrace_types1] "n" (_DTRACE_TYPES3(x1, x2, x3)), \
	_DTRACE_VALUES3(x1, x2, x3)
#define _DTRACE_ASM_OPERANDS4(x1, x2, x3, x4) \
	[_dtrace_types1] "n" (_DTRACE_TYPES4(x1, x2, x3, x4)), \
	_DTRACE_VALUES4(x1, x2, x3, x4)
#define _DTRACE_ASM_OPERANDS5(x1, x2, x3, x4, x5) \
	[_dtrace_types1] "n" (_DTRACE_TYPES5(x1, x2, x3, x4, x5)), \
	_DTRACE_VALUES5(x1, x2, x3, x4, x5)
#define _DTRACE_ASM_OPERANDS6(x1, x2, x3, x4, x5, x6) \
	[_dtrace_types1] "n" (_DTRACE_TYPES6(x1, x2, x3, x4, x5, x6)), \
	_DTRACE_VALUES6(x1, x2, x3, x4, x5, x6)
#define _DTRACE_ASM_OPERANDS7(x1, x2, x3, x4, x5, x6, x7) \
	[_dtrace_types1] "n" (_DTRACE_TYPES6(x1, x2, x3, x4, x5, x6)), \
	[_dtrace_types2] "n" (_DTRACE_TYPES1(x7)), \
	_DTRACE_VALUES7(x1, x2, x3, x4, x5, x6, x7)
#define _DTRACE_ASM_OPERANDS8(x1, x2, x3, x4, x5, x6, x7, x8) \
	[_dtrace_types1] "n" (_DTRACE_TYPES6(x1, x2, x3, x4, x5, x6)), \
	[_dtrace_types2] "n" (_DTRACE_TYPES2(x7, x8)), \
	_DTRACE_VALUES8(x1, x2, x3, x4, x5, x6, x7, x8)
#define _DTRACE_ASM_OPERANDS9(x1, x2, x3, x4, x5, x6, x7, x8, x9) \
	[_dtrace_types1] "n" (_DTRACE_TYPES6(x1, x2, x3, x4, x5, x6)), \
	[_dtrace_types2] "n" (_DTRACE_TYPES3(x7, x8, x9)), \
	_DTRACE_VALUES9(x1, x2, x3, x4, x5, x6, x7, x8, x9)
#define _DTRACE_ASM_OPERANDS10(x1, x2, x3, x4, x5, x6, x7, x8, x9, x10) \
	[_dtrace_types1] "n" (_DTRACE_TYPES6(x1, x2, x3, x4, x5, x6)), \
	[_dtrace_types2] "n" (_DTRACE_TYPES4(x7, x8, x9, x10)), \
	_DTRACE_VALUES10(x1, x2, x3, x4, x5, x6, x7, x8, x9, x10)
#define _DTRACE_ASM_OPERANDS11(x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11) \
	[_dtrace_types1] "n" (_DTRACE_TYPES6(x1, x2, x3, x4, x5, x6)), \
	[_dtrace_types2] "n" (_DTRACE_TYPES5(x7, x8, x9, x10, x11)), \
	_DTRACE_VALUES11(x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11)
#define _DTRACE_ASM_OPERANDS12(x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12) \
	[_dtrace_types1] "n" (_DTRACE_TYPES6(x1, x2, x3, x4, x5, x6)), \
	[_dtrace_types2] "n" (_DTRACE_TYPES6(x7, x8, x9, x10, x11, x12)), \
	_DTRACE_VALUES12(x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12)
#endif

/*
 * For headers made by `dtrace -h`, which declare void __dtrace_PROVIDER___PROBE(types) with C
 * linkage:
 *
 *	_DTRACE_TYPEDn(provider, name, type1, x1, ...)	a probe with typed arguments: a statement
 *	_DTRACE_ENABLED(provider, name)			an int: not 0 while a tracer traces the
 *							probe
 *
 *	_DTRACE_DECLARED(symbol)			make a linker take the object of `dtrace
 *							-G`, which defines the symbol, from an
 *							archive
 *
 * The declared function is never called: it makes the compiler check the arguments. The symbol is a
 * common symbol of one byte: linkers look for a definition in archives too, but need none.
 */
#define _DTRACE_DECLARED(symbol) \
	__asm__(".comm " #symbol ", 1, 1\n\t.hidden " #symbol);
#define _DTRACE_ENABLED(provider, name) (__extension__ ({ \
	_DTRACE_IDENTIFIERS(provider, name) \
	int _dtrace_on; \
	_DTRACE_ASM (_DTRACE_SEMAPHORE(#provider "_" #name "_semaphore") \
		     _DTRACE_COMPARE(provider##_##name##_semaphore, _dtrace_on)); \
	__builtin_expect(_dtrace_on, 0); \
}))

/*
 * Set an int to whether the semaphore is not 0. The text names the symbol itself: a variable that a
 * template in an unnamed namespace declares would be another one to g++.
 */
#ifdef __aarch64__
#define _DTRACE_COMPARE(symbol, on) \
	"adrp %x0, " #symbol "\n\tldrh %w0, [%x0, :lo12:" #symbol "]" : "=r" (on)
#elif defined __i386__ && defined __PIC__
#define _DTRACE_COMPARE(symbol, on) \
	"call 1f\n1:\tpopl %0\n\tmovzwl " #symbol " - 1b(%0), %0" : "=r" (on)
#else
#ifdef __x86_64__
#define _DTRACE_SEMAPHORE_TEXT(symbol)		#symbol "(%%rip)"
#else
#define _DTRACE_SEMAPHORE_TEXT(symbol)		#symbol
#endif
#ifdef __GCC_ASM_FLAG_OUTPUTS__
#define _DTRACE_COMPARE(symbol, on) \
	"cmpw $0, " _DTRACE_SEMAPHORE_TEXT(symbol) : "=@ccne" (on)
#else
#define _DTRACE_COMPARE(symbol, on) \
	"movzwl " _DTRACE_SEMAPHORE_TEXT(symbol) ", %0" : "=r" (on)
#endif
#endif
#define _DTRACE_CHECK(call)	((void)sizeof(((call), 0)))

#define _DTRACE_TYPED0(provider, name)	_DTRACE_SITE0(#provider, #name)
#define _DTRACE_TYPED1(provider, name, t1, x1) do { \
	_DTRACE_CHECK(__dtrace_##provider##___##name(x1)); \
	_DTRACE_SITE1(#provider, #name, (t1)(x1)); \
} while (0)
#define _DTRACE_TYPED2(provider, name, t1, x1, t2, x2) do { \
	_DTRACE_CHECK(__dtrace_##provider##___##name(x1, x2)); \
	_DTRACE_SITE2(#provider, #name, (t1)(x1), (t2)(x2)); \
} while (0)
#define _DTRACE_TYPED3(provider, name, t1, x1, t2, x2, t3, x3) do { \
	_DTRACE_CHECK(__dtrace_##provider##___##name(x1, x2, x3)); \
	_DTRACE_SITE3(#provider, #name, (t1)(x1), (t2)(x2), (t3)(x3)); \
} while (0)
#define _DTRACE_TYPED4(provider, name, t1, x1, t2, x2, t3, x3, t4, x4) do { \
	_DTRACE_CHECK(__dtrace_##provider##___##name(x1, x2, x3, x4)); \
	_DTRACE_SITE4(#provider, #name, (t1)(x1), (t2)(x2), (t3)(x3), (t4)(x4)); \
} while (0)
#define _DTRACE_TYPED5(provider, name, t1, x1, t2, x2, t3, x3, t4, x4, t5, x5) do { \
	_DTRACE_CHECK(__dtrace_##provider##___##name(x1, x2, x3, x4, x5)); \
	_DTRACE_SITE5(#provider, #name, (t1)(x1), (t2)(x2), (t3)(x3), (t4)(x4), (t5)(x5)); \
} while (0)
#define _DTRACE_TYPED6(provider, name, t1, x1, t2, x2, t3, x3, t4, x4, t5, x5, t6, x6) do { \
	_DTRACE_CHECK(__dtrace_##provider##___##name(x1, x2, x3, x4, x5, x6)); \
	_DTRACE_SITE6(#provider, #name, (t1)(x1), (t2)(x2), (t3)(x3), (t4)(x4), (t5)(x5), \
		(t6)(x6)); \
} while (0)
#define _DTRACE_TYPED7(provider, name, t1, x1, t2, x2, t3, x3, t4, x4, t5, x5, t6, x6, t7, \
		x7) do { \
	_DTRACE_CHECK(__dtrace_##provider##___##name(x1, x2, x3, x4, x5, x6, x7)); \
	_DTRACE_SITE7(#provider, #name, (t1)(x1), (t2)(x2), (t3)(x3), (t4)(x4), (t5)(x5), \
		(t6)(x6), (t7)(x7)); \
} while (0)
#define _DTRACE_TYPED8(provider, name, t1, x1, t2, x2, t3, x3, t4, x4, t5, x5, t6, x6, t7, x7, \
		t8, x8) do { \
	_DTRACE_CHECK(__dtrace_##provider##___##name(x1, x2, x3, x4, x5, x6, x7, x8)); \
	_DTRACE_SITE8(#provider, #name, (t1)(x1), (t2)(x2), (t3)(x3), (t4)(x4), (t5)(x5), \
		(t6)(x6), (t7)(x7), (t8)(x8)); \
} while (0)
#define _DTRACE_TYPED9(provider, name, t1, x1, t2, x2, t3, x3, t4, x4, t5, x5, t6, x6, t7, x7, \
		t8, x8, t9, x9) do { \
	_DTRACE_CHECK(__dtrace_##provider##___##name(x1, x2, x3, x4, x5, x6, x7, x8, x9)); \
	_DTRACE_SITE9(#provider, #name, (t1)(x1), (t2)(x2), (t3)(x3), (t4)(x4), (t5)(x5), \
		(t6)(x6), (t7)(x7), (t8)(x8), (t9)(x9)); \
} while (0)
#define _DTRACE_TYPED10(provider, name, t1, x1, t2, x2, t3, x3, t4, x4, t5, x5, t6, x6, t7, x7, \
		t8, x8, t9, x9, t10, x10) do { \
	_DTRACE_CHECK(__dtrace_##provider##___##name(x1, x2, x3, x4, x5, x6, x7, x8, x9, x10)); \
	_DTRACE_SITE10(#provider, #name, (t1)(x1), (t2)(x2), (t3)(x3), (t4)(x4), (t5)(x5), \
		(t6)(x6), (t7)(x7), (t8)(x8), (t9)(x9), (t10)(x10)); \
} while (0)
#define _DTRACE_TYPED11(provider, name, t1, x1, t2, x2, t3, x3, t4, x4, t5, x5, t6, x6, t7, x7, \
		t8, x8, t9, x9, t10, x10, t11, x11) do { \
	_DTRACE_CHECK(__dtrace_##provider##___##name(x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, \
		x11)); \
	_DTRACE_SITE11(#provider, #name, (t1)(x1), (t2)(x2), (t3)(x3), (t4)(x4), (t5)(x5), \
		(t6)(x6), (t7)(x7), (t8)(x8), (t9)(x9), (t10)(x10), (t11)(x11)); \
} while (0)
#define _DTRACE_TYPED12(provider, name, t1, x1, t2, x2, t3, x3, t4, x4, t5, x5, t6, x6, t7, x7, \
		t8, x8, t9, x9, t10, x10, t11, x11, t12, x12) do { \
	_DTRACE_CHECK(__dtrace_##provider##___##name(x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, \
		x11, x12)); \
	_DTRACE_SITE12(#provider, #name, (t1)(x1), (t2)(x2), (t3)(x3), (t4)(x4), (t5)(x5), \
		(t6)(x6), (t7)(x7), (t8)(x8), (t9)(x9), (t10)(x10), (t11)(x11), (t12)(x12)); \
} while (0)

/* ..._ENABLED() of a header made by `dtrace -h`. */
#define _DTRACE_TYPED_ENABLED(provider, name)	_DTRACE_ENABLED(provider, name)

#else /* call sites */

/*
 * Call functions that do not exist: `dtrace -G` removes the calls. GNU compilers declare them under
 * another name, so that they neither clash with the typed declarations of a header made by
 * `dtrace -h` nor get a mangled name in C++.
 */
#ifdef __GNUC__
#define _DTRACE_CALL(provider, name, types) \
	do { \
		extern void _dtrace_call_##provider##___##name(types) \
			__asm__("__dtrace_" #provider "___" #name); \
		_dtrace_call_##provider##___##name
#define _DTRACE_ENABLED(provider, name) (__extension__ ({ \
	extern int _dtrace_enabled_##provider##___##name(void) \
		__asm__("__dtraceenabled_" #provider "___" #name); \
	_dtrace_enabled_##provider##___##name(); \
}))
#else
#define _DTRACE_CALL(provider, name, types) \
	do { \
		extern void __dtrace_##provider##___##name(types); \
		__dtrace_##provider##___##name
#define _DTRACE_ENABLED(provider, name)	__dtraceenabled_##provider##___##name()
#endif
/*
 * A header made by `dtrace -h` declares the function at file scope. g++ forgets the assembler name
 * of a declaration in a template, cannot compile one in a coroutine, and warns about one in an
 * unnamed namespace.
 */
#define _DTRACE_TYPED_ENABLED(provider, name)	__dtraceenabled_##provider##___##name()
#define _DTRACE_WORD(x)		((unsigned long)(x))
#define _DTRACE_DECLARED(symbol)

/*
 * DTRACE_PROBE() has no declaration of a header. In C++ assembly makes its call. As soon as
 * `dtrace -G` has removed the call, the assembly changes nothing but its result. Up to six
 * arguments are in registers. (Variables that are bound to registers would lose these in a
 * coroutine.) On i386, and where there are more than six, the arguments are words in memory, from
 * which the assembly loads and pushes them. The frame's address is an operand so that the function
 * has a frame pointer: stacks are found by it while the stack pointer is another. On aarch64 more
 * than six need a declaration; `dtrace -G` knows the name that g++ makes of one in a template.
 */
#if defined __cplusplus && defined __GNUC__ && defined __x86_64__ && !defined __ILP32__
#define _DTRACE_PUSH(n)		"push{q " #n "*8(%%rax)| QWORD PTR [rax+" #n "*8]}\n\t"
#define _DTRACE_LOAD_WORDS \
	"mov{q (%%rax), %%rdi| rdi, [rax]}\n\t" \
	"mov{q 8(%%rax), %%rsi| rsi, [rax+8]}\n\t" \
	"mov{q 16(%%rax), %%rdx| rdx, [rax+16]}\n\t" \
	"mov{q 24(%%rax), %%rcx| rcx, [rax+24]}\n\t" \
	"mov{q 32(%%rax), %%r8| r8, [rax+32]}\n\t" \
	"mov{q 40(%%rax), %%r9| r9, [rax+40]}\n\t" \
	"lea{q -128(%%rsp), %%rsp| rsp, [rsp-128]}\n\t" /* the red zone */
#define _DTRACE_PUSH6		""
#define _DTRACE_PUSH_END(n)	"\n\tlea{q 128+(" #n "-6)*8(%%rsp), %%rsp| rsp, [rsp+128+(" #n "-6)*8]}"
#define _DTRACE_WORDS_CHANGED	"rdi", "rsi", "rdx", "rcx", "r8", "r9", "memory"
#elif defined __cplusplus && defined __GNUC__ && defined __i386__
#define _DTRACE_PUSH(n)		"push{l " #n "*4(%%eax)| DWORD PTR [eax+" #n "*4]}\n\t"
#define _DTRACE_LOAD_WORDS	""
#define _DTRACE_PUSH0		""
#define _DTRACE_PUSH1		_DTRACE_PUSH(0) _DTRACE_PUSH0
#define _DTRACE_PUSH2		_DTRACE_PUSH(1) _DTRACE_PUSH1
#define _DTRACE_PUSH3		_DTRACE_PUSH(2) _DTRACE_PUSH2
#define _DTRACE_PUSH4		_DTRACE_PUSH(3) _DTRACE_PUSH3
#define _DTRACE_PUSH5		_DTRACE_PUSH(4) _DTRACE_PUSH4
#define _DTRACE_PUSH6		_DTRACE_PUSH(5) _DTRACE_PUSH5
#define _DTRACE_PUSH_END(n)	"\n\tlea{l " #n "*4(%%esp), %%esp| esp, [esp+" #n "*4]}"
#define _DTRACE_WORDS_CHANGED	"memory"
#endif
#ifdef _DTRACE_PUSH
#define _DTRACE_PUSH7		_DTRACE_PUSH(6) _DTRACE_PUSH6
#define _DTRACE_PUSH8		_DTRACE_PUSH(7) _DTRACE_PUSH7
#define _DTRACE_PUSH9		_DTRACE_PUSH(8) _DTRACE_PUSH8
#define _DTRACE_PUSH10		_DTRACE_PUSH(9) _DTRACE_PUSH9
#define _DTRACE_PUSH11		_DTRACE_PUSH(10) _DTRACE_PUSH10
#define _DTRACE_PUSH12		_DTRACE_PUSH(11) _DTRACE_PUSH11
#define _DTRACE_CALL_CODE(function)	"call " function "@PLT"
#define _DTRACE_CALL_ENABLED(function, on) \
	__asm__ __volatile__ (_DTRACE_CALL_CODE(function) : "=a" (on) : : "cc", "memory")
#define _DTRACE_WORDS_BEGIN(provider, name, n) \
	do { \
		_DTRACE_IDENTIFIERS(provider, name) \
		unsigned long _dtrace_words[(n) ? (n) : 1] = {
#define _DTRACE_WORDS_END(provider, name, n) \
		}; \
		__asm__ __volatile__ (_DTRACE_LOAD_WORDS _DTRACE_PUSH##n \
				      _DTRACE_CALL_CODE("__dtrace_" #provider "___" #name) \
				      _DTRACE_PUSH_END(n) \
				      : : "a" (_dtrace_words), "r" (__builtin_frame_address(0)) \
				      : _DTRACE_WORDS_CHANGED); \
	} while (0)
#else
#define _DTRACE_WORDS_BEGIN(provider, name, n)	_DTRACE_CALL(provider, name, _DTRACE_WORDS##n) (
#define _DTRACE_WORDS_END(provider, name, n)	); } while (0)
#endif

#if defined _DTRACE_PUSH && defined __x86_64__
#define _DTRACE_CALL_MOVES0	""
#define _DTRACE_CALL_MOVES1	""
#define _DTRACE_CALL_MOVES2	""
#define _DTRACE_CALL_MOVES3	""
#define _DTRACE_CALL_MOVES4	""
#define _DTRACE_CALL_MOVES5	"mov{q %[_dtrace_a5], %%r8| r8, %[_dtrace_a5]}\n\t"
#define _DTRACE_CALL_MOVES6	_DTRACE_CALL_MOVES5 \
	"mov{q %[_dtrace_a6], %%r9| r9, %[_dtrace_a6]}\n\t"
#define _DTRACE_CALL_ARG1(x)	"D" (_DTRACE_WORD(x))
#define _DTRACE_CALL_ARG2(x)	"S" (_DTRACE_WORD(x))
#define _DTRACE_CALL_ARG3(x)	"d" (_DTRACE_WORD(x))
#define _DTRACE_CALL_ARG4(x)	"c" (_DTRACE_WORD(x))
#define _DTRACE_CALL_ARG5(x)	[_dtrace_a5] "r" (_DTRACE_WORD(x))
#define _DTRACE_CALL_ARG6(x)	[_dtrace_a6] "r" (_DTRACE_WORD(x))
#define _DTRACE_CALL_CHANGED	"r8", "r9", "memory"
#elif defined __cplusplus && defined __GNUC__ && defined __aarch64__ && !defined __ILP32__
#define _DTRACE_CALL_CODE(function)	"bl " function
#define _DTRACE_CALL_ENABLED(function, on) \
	__asm__ __volatile__ (_DTRACE_CALL_CODE(function) "\n\tmov %w0, w0" \
			      : "=r" (on) : : "x0", "memory")
#define _DTRACE_CALL_MOVES0	""
#define _DTRACE_CALL_MOVES1	_DTRACE_CALL_MOVES0 "mov x0, %[_dtrace_a1]\n\t"
#define _DTRACE_CALL_MOVES2	_DTRACE_CALL_MOVES1 "mov x1, %[_dtrace_a2]\n\t"
#define _DTRACE_CALL_MOVES3	_DTRACE_CALL_MOVES2 "mov x2, %[_dtrace_a3]\n\t"
#define _DTRACE_CALL_MOVES4	_DTRACE_CALL_MOVES3 "mov x3, %[_dtrace_a4]\n\t"
#define _DTRACE_CALL_MOVES5	_DTRACE_CALL_MOVES4 "mov x4, %[_dtrace_a5]\n\t"
#define _DTRACE_CALL_MOVES6	_DTRACE_CALL_MOVES5 "mov x5, %[_dtrace_a6]\n\t"
#define _DTRACE_CALL_ARG1(x)	[_dtrace_a1] "r" (_DTRACE_WORD(x))
#define _DTRACE_CALL_ARG2(x)	[_dtrace_a2] "r" (_DTRACE_WORD(x))
#define _DTRACE_CALL_ARG3(x)	[_dtrace_a3] "r" (_DTRACE_WORD(x))
#define _DTRACE_CALL_ARG4(x)	[_dtrace_a4] "r" (_DTRACE_WORD(x))
#define _DTRACE_CALL_ARG5(x)	[_dtrace_a5] "r" (_DTRACE_WORD(x))
#define _DTRACE_CALL_ARG6(x)	[_dtrace_a6] "r" (_DTRACE_WORD(x))
#define _DTRACE_CALL_CHANGED	"x0", "x1", "x2", "x3", "x4", "x5", "memory"
#endif

#ifdef _DTRACE_CALL_CODE
#define DTRACE_PROBE_ENABLED(provider, name) (__extension__ ({ \
	_DTRACE_IDENTIFIERS(provider, name) \
	int _dtrace_on; \
	_DTRACE_CALL_ENABLED("__dtraceenabled_" #provider "___" #name, _dtrace_on); \
	_dtrace_on; \
}))
#else
#define DTRACE_PROBE_ENABLED(provider, name)	_DTRACE_ENABLED(provider, name)
#endif

/*
 * A call is _DTRACE_CALL_BEGIN, its arguments, and _DTRACE_CALL_END; with more than six arguments
 * _DTRACE_WORDS_BEGIN and _DTRACE_WORDS_END.
 */
#ifdef _DTRACE_CALL_CHANGED
#define _DTRACE_CALL_BEGIN(provider, name, n) \
	do { \
		_DTRACE_IDENTIFIERS(provider, name) \
		__asm__ __volatile__ (_DTRACE_CALL_MOVES##n \
				      _DTRACE_CALL_CODE("__dtrace_" #provider "___" #name) : :
#define _DTRACE_CALL_END(provider, name, n)	: _DTRACE_CALL_CHANGED); } while (0)
#else
#define _DTRACE_CALL_BEGIN(provider, name, n)	_DTRACE_WORDS_BEGIN(provider, name, n)
#define _DTRACE_CALL_END(provider, name, n)	_DTRACE_WORDS_END(provider, name, n)
#define _DTRACE_CALL_ARG1(x)	_DTRACE_WORD(x)
#define _DTRACE_CALL_ARG2(x)	_DTRACE_WORD(x)
#define _DTRACE_CALL_ARG3(x)	_DTRACE_WORD(x)
#define _DTRACE_CALL_ARG4(x)	_DTRACE_WORD(x)
#define _DTRACE_CALL_ARG5(x)	_DTRACE_WORD(x)
#define _DTRACE_CALL_ARG6(x)	_DTRACE_WORD(x)
#endif
#define _DTRACE_TYPED0(provider, name)	__dtrace_##provider##___##name()
#define _DTRACE_WORDS0	void
#define _DTRACE_WORDS1	unsigned long
#define _DTRACE_WORDS2	_DTRACE_WORDS1, unsigned long
#define _DTRACE_WORDS3	_DTRACE_WORDS2, unsigned long
#define _DTRACE_WORDS4	_DTRACE_WORDS3, unsigned long
#define _DTRACE_WORDS5	_DTRACE_WORDS4, unsigned long
#define _DTRACE_WORDS6	_DTRACE_WORDS5, unsigned long
#define _DTRACE_WORDS7	_DTRACE_WORDS6, unsigned long
#define _DTRACE_WORDS8	_DTRACE_WORDS7, unsigned long
#define _DTRACE_WORDS9	_DTRACE_WORDS8, unsigned long
#define _DTRACE_WORDS10	_DTRACE_WORDS9, unsigned long
#define _DTRACE_WORDS11	_DTRACE_WORDS10, unsigned long
#define _DTRACE_WORDS12	_DTRACE_WORDS11, unsigned long

#define DTRACE_PROBE0(provider, name) \
	_DTRACE_CALL_BEGIN(provider, name, 0) _DTRACE_CALL_END(provider, name, 0)
#define DTRACE_PROBE1(provider, name, x1) \
	_DTRACE_CALL_BEGIN(provider, name, 1) \
	_DTRACE_CALL_ARG1(x1) _DTRACE_CALL_END(provider, name, 1)
#define DTRACE_PROBE2(provider, name, x1, x2) \
	_DTRACE_CALL_BEGIN(provider, name, 2) \
		_DTRACE_CALL_ARG1(x1), _DTRACE_CALL_ARG2(x2) \
	_DTRACE_CALL_END(provider, name, 2)
#define DTRACE_PROBE3(provider, name, x1, x2, x3) \
	_DTRACE_CALL_BEGIN(provider, name, 3) \
		_DTRACE_CALL_ARG1(x1), _DTRACE_CALL_ARG2(x2), _DTRACE_CALL_ARG3(x3) \
	_DTRACE_CALL_END(provider, name, 3)
#define DTRACE_PROBE4(provider, name, x1, x2, x3, x4) \
	_DTRACE_CALL_BEGIN(provider, name, 4) \
		_DTRACE_CALL_ARG1(x1), _DTRACE_CALL_ARG2(x2), _DTRACE_CALL_ARG3(x3), \
		_DTRACE_CALL_ARG4(x4) \
	_DTRACE_CALL_END(provider, name, 4)
#define DTRACE_PROBE5(provider, name, x1, x2, x3, x4, x5) \
	_DTRACE_CALL_BEGIN(provider, name, 5) \
		_DTRACE_CALL_ARG1(x1), _DTRACE_CALL_ARG2(x2), _DTRACE_CALL_ARG3(x3), \
		_DTRACE_CALL_ARG4(x4), _DTRACE_CALL_ARG5(x5) \
	_DTRACE_CALL_END(provider, name, 5)
#define DTRACE_PROBE6(provider, name, x1, x2, x3, x4, x5, x6) \
	_DTRACE_CALL_BEGIN(provider, name, 6) \
		_DTRACE_CALL_ARG1(x1), _DTRACE_CALL_ARG2(x2), _DTRACE_CALL_ARG3(x3), \
		_DTRACE_CALL_ARG4(x4), _DTRACE_CALL_ARG5(x5), _DTRACE_CALL_ARG6(x6) \
	_DTRACE_CALL_END(provider, name, 6)
#define DTRACE_PROBE7(provider, name, x1, x2, x3, x4, x5, x6, x7) \
	_DTRACE_WORDS_BEGIN(provider, name, 7) \
		_DTRACE_WORD(x1), _DTRACE_WORD(x2), _DTRACE_WORD(x3), _DTRACE_WORD(x4), \
		_DTRACE_WORD(x5), _DTRACE_WORD(x6), _DTRACE_WORD(x7) \
	_DTRACE_WORDS_END(provider, name, 7)
#define DTRACE_PROBE8(provider, name, x1, x2, x3, x4, x5, x6, x7, x8) \
	_DTRACE_WORDS_BEGIN(provider, name, 8) \
		_DTRACE_WORD(x1), _DTRACE_WORD(x2), _DTRACE_WORD(x3), _DTRACE_WORD(x4), \
		_DTRACE_WORD(x5), _DTRACE_WORD(x6), _DTRACE_WORD(x7), _DTRACE_WORD(x8) \
	_DTRACE_WORDS_END(provider, name, 8)
#define DTRACE_PROBE9(provider, name, x1, x2, x3, x4, x5, x6, x7, x8, x9) \
	_DTRACE_WORDS_BEGIN(provider, name, 9) \
		_DTRACE_WORD(x1), _DTRACE_WORD(x2), _DTRACE_WORD(x3), _DTRACE_WORD(x4), \
		_DTRACE_WORD(x5), _DTRACE_WORD(x6), _DTRACE_WORD(x7), _DTRACE_WORD(x8), \
		_DTRACE_WORD(x9) \
	_DTRACE_WORDS_END(provider, name, 9)
#define DTRACE_PROBE10(provider, name, x1, x2, x3, x4, x5, x6, x7, x8, x9, x10) \
	_DTRACE_WORDS_BEGIN(provider, name, 10) \
		_DTRACE_WORD(x1), _DTRACE_WORD(x2), _DTRACE_WORD(x3), _DTRACE_WORD(x4), \
		_DTRACE_WORD(x5), _DTRACE_WORD(x6), _DTRACE_WORD(x7), _DTRACE_WORD(x8), \
		_DTRACE_WORD(x9), _DTRACE_WORD(x10) \
	_DTRACE_WORDS_END(provider, name, 10)
#define DTRACE_PROBE11(provider, name, x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11) \
	_DTRACE_WORDS_BEGIN(provider, name, 11) \
		_DTRACE_WORD(x1), _DTRACE_WORD(x2), _DTRACE_WORD(x3), _DTRACE_WORD(x4), \
		_DTRACE_WORD(x5), _DTRACE_WORD(x6), _DTRACE_WORD(x7), _DTRACE_WORD(x8), \
		_DTRACE_WORD(x9), _DTRACE_WORD(x10), _DTRACE_WORD(x11) \
	_DTRACE_WORDS_END(provider, name, 11)
#define DTRACE_PROBE12(provider, name, x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12) \
	_DTRACE_WORDS_BEGIN(provider, name, 12) \
		_DTRACE_WORD(x1), _DTRACE_WORD(x2), _DTRACE_WORD(x3), _DTRACE_WORD(x4), \
		_DTRACE_WORD(x5), _DTRACE_WORD(x6), _DTRACE_WORD(x7), _DTRACE_WORD(x8), \
		_DTRACE_WORD(x9), _DTRACE_WORD(x10), _DTRACE_WORD(x11), _DTRACE_WORD(x12) \
	_DTRACE_WORDS_END(provider, name, 12)

#define _DTRACE_TYPED1(provider, name, t1, x1) \
	__dtrace_##provider##___##name(x1)
#define _DTRACE_TYPED2(provider, name, t1, x1, t2, x2) \
	__dtrace_##provider##___##name(x1, x2)
#define _DTRACE_TYPED3(provider, name, t1, x1, t2, x2, t3, x3) \
	__dtrace_##provider##___##name(x1, x2, x3)
#define _DTRACE_TYPED4(provider, name, t1, x1, t2, x2, t3, x3, t4, x4) \
	__dtrace_##provider##___##name(x1, x2, x3, x4)
#define _DTRACE_TYPED5(provider, name, t1, x1, t2, x2, t3, x3, t4, x4, t5, x5) \
	__dtrace_##provider##___##name(x1, x2, x3, x4, x5)
#define _DTRACE_TYPED6(provider, name, t1, x1, t2, x2, t3, x3, t4, x4, t5, x5, t6, x6) \
	__dtrace_##provider##___##name(x1, x2, x3, x4, x5, x6)
#define _DTRACE_TYPED7(provider, name, t1, x1, t2, x2, t3, x3, t4, x4, t5, x5, t6, x6, t7, x7) \
	__dtrace_##provider##___##name(x1, x2, x3, x4, x5, x6, x7)
#define _DTRACE_TYPED8(provider, name, t1, x1, t2, x2, t3, x3, t4, x4, t5, x5, t6, x6, t7, x7, \
		t8, x8) \
	__dtrace_##provider##___##name(x1, x2, x3, x4, x5, x6, x7, x8)
#define _DTRACE_TYPED9(provider, name, t1, x1, t2, x2, t3, x3, t4, x4, t5, x5, t6, x6, t7, x7, \
		t8, x8, t9, x9) \
	__dtrace_##provider##___##name(x1, x2, x3, x4, x5, x6, x7, x8, x9)
#define _DTRACE_TYPED10(provider, name, t1, x1, t2, x2, t3, x3, t4, x4, t5, x5, t6, x6, t7, x7, \
		t8, x8, t9, x9, t10, x10) \
	__dtrace_##provider##___##name(x1, x2, x3, x4, x5, x6, x7, x8, x9, x10)
#define _DTRACE_TYPED11(provider, name, t1, x1, t2, x2, t3, x3, t4, x4, t5, x5, t6, x6, t7, x7, \
		t8, x8, t9, x9, t10, x10, t11, x11) \
	__dtrace_##provider##___##name(x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11)
#define _DTRACE_TYPED12(provider, name, t1, x1, t2, x2, t3, x3, t4, x4, t5, x5, t6, x6, t7, x7, \
		t8, x8, t9, x9, t10, x10, t11, x11, t12, x12) \
	__dtrace_##provider##___##name(x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12)

#endif /* recorded or call sites */

/* Evaluate the arguments only while a tracer traces the probe. */
#define DTRACE_LAZY_PROBE0(provider, name) do { \
	if (DTRACE_PROBE_ENABLED(provider, name)) \
		DTRACE_PROBE0(provider, name); \
} while (0)
#define DTRACE_LAZY_PROBE1(provider, name, x1) do { \
	if (DTRACE_PROBE_ENABLED(provider, name)) \
		DTRACE_PROBE1(provider, name, x1); \
} while (0)
#define DTRACE_LAZY_PROBE2(provider, name, x1, x2) do { \
	if (DTRACE_PROBE_ENABLED(provider, name)) \
		DTRACE_PROBE2(provider, name, x1, x2); \
} while (0)
#define DTRACE_LAZY_PROBE3(provider, name, x1, x2, x3) do { \
	if (DTRACE_PROBE_ENABLED(provider, name)) \
		DTRACE_PROBE3(provider, name, x1, x2, x3); \
} while (0)
#define DTRACE_LAZY_PROBE4(provider, name, x1, x2, x3, x4) do { \
	if (DTRACE_PROBE_ENABLED(provider, name)) \
		DTRACE_PROBE4(provider, name, x1, x2, x3, x4); \
} while (0)
#define DTRACE_LAZY_PROBE5(provider, name, x1, x2, x3, x4, x5) do { \
	if (DTRACE_PROBE_ENABLED(provider, name)) \
		DTRACE_PROBE5(provider, name, x1, x2, x3, x4, x5); \
} while (0)
#define DTRACE_LAZY_PROBE6(provider, name, x1, x2, x3, x4, x5, x6) do { \
	if (DTRACE_PROBE_ENABLED(provider, name)) \
		DTRACE_PROBE6(provider, name, x1, x2, x3, x4, x5, x6); \
} while (0)
#define DTRACE_LAZY_PROBE7(provider, name, x1, x2, x3, x4, x5, x6, x7) do { \
	if (DTRACE_PROBE_ENABLED(provider, name)) \
		DTRACE_PROBE7(provider, name, x1, x2, x3, x4, x5, x6, x7); \
} while (0)
#define DTRACE_LAZY_PROBE8(provider, name, x1, x2, x3, x4, x5, x6, x7, x8) do { \
	if (DTRACE_PROBE_ENABLED(provider, name)) \
		DTRACE_PROBE8(provider, name, x1, x2, x3, x4, x5, x6, x7, x8); \
} while (0)
#define DTRACE_LAZY_PROBE9(provider, name, x1, x2, x3, x4, x5, x6, x7, x8, x9) do { \
	if (DTRACE_PROBE_ENABLED(provider, name)) \
		DTRACE_PROBE9(provider, name, x1, x2, x3, x4, x5, x6, x7, x8, x9); \
} while (0)
#define DTRACE_LAZY_PROBE10(provider, name, x1, x2, x3, x4, x5, x6, x7, x8, x9, x10) do { \
	if (DTRACE_PROBE_ENABLED(provider, name)) \
		DTRACE_PROBE10(provider, name, x1, x2, x3, x4, x5, x6, x7, x8, x9, x10); \
} while (0)
#define DTRACE_LAZY_PROBE11(provider, name, x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11) do { \
	if (DTRACE_PROBE_ENABLED(provider, name)) \
		DTRACE_PROBE11(provider, name, x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11); \
} while (0)
#define DTRACE_LAZY_PROBE12(provider, name, x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, \
		x12) do { \
	if (DTRACE_PROBE_ENABLED(provider, name)) \
		DTRACE_PROBE12(provider, name, x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, \
			x12); \
} while (0)
#ifdef _DTRACE_VARIADIC
#define DTRACE_LAZY_PROBE(provider, ...) \
	_DTRACE_CHOOSE(DTRACE_LAZY_PROBE, _DTRACE_COUNT(__VA_ARGS__), provider, __VA_ARGS__)
#else
#define DTRACE_LAZY_PROBE(provider, name)	DTRACE_LAZY_PROBE0(provider, name)
#endif
#endif /* C, C++ */

/* Names that C, C++ and assembler files have in common. */
#ifdef _DTRACE_VARIADIC
#define DTRACE_PROBE(provider, ...) \
	_DTRACE_CHOOSE(DTRACE_PROBE, _DTRACE_COUNT(__VA_ARGS__), provider, __VA_ARGS__)
#define DTRACE_PROBE_DTRACE_MANY(...)	_DTRACE_REFUSED
#define DTRACE_LAZY_PROBE_DTRACE_MANY(...)	_DTRACE_REFUSED
#ifdef __ASSEMBLER__
#define _DTRACE_REFUSED	.error "a probe takes at most 12 arguments"
#else
#define _DTRACE_REFUSED	do { typedef char a_probe_takes_at_most_12_arguments[-1]; } while (0)
#endif
#define STAP_PROBEV(provider, ...)	DTRACE_PROBE(provider, __VA_ARGS__)
#define _SDT_PROBE(provider, name, n, args) \
	_DTRACE_CHOOSE(_SDT_PROBE, n, provider, name, _DTRACE_BARE args)
#define _DTRACE_BARE(...)		__VA_ARGS__
#define _SDT_PROBE0(provider, name, ...)	DTRACE_PROBE0(provider, name)
#define _SDT_PROBE1(...)		DTRACE_PROBE1(__VA_ARGS__)
#define _SDT_PROBE2(...)		DTRACE_PROBE2(__VA_ARGS__)
#define _SDT_PROBE3(...)		DTRACE_PROBE3(__VA_ARGS__)
#define _SDT_PROBE4(...)		DTRACE_PROBE4(__VA_ARGS__)
#define _SDT_PROBE5(...)		DTRACE_PROBE5(__VA_ARGS__)
#define _SDT_PROBE6(...)		DTRACE_PROBE6(__VA_ARGS__)
#define _SDT_PROBE7(...)		DTRACE_PROBE7(__VA_ARGS__)
#define _SDT_PROBE8(...)		DTRACE_PROBE8(__VA_ARGS__)
#define _SDT_PROBE9(...)		DTRACE_PROBE9(__VA_ARGS__)
#define _SDT_PROBE10(...)		DTRACE_PROBE10(__VA_ARGS__)
#define _SDT_PROBE11(...)		DTRACE_PROBE11(__VA_ARGS__)
#define _SDT_PROBE12(...)		DTRACE_PROBE12(__VA_ARGS__)
#else
#define DTRACE_PROBE(provider, name)	DTRACE_PROBE0(provider, name)
#endif
#define STAP_PROBE(provider, name)	DTRACE_PROBE0(provider, name)
#define STAP_PROBE1(provider, name, x1) \
	DTRACE_PROBE1(provider, name, x1)
#define STAP_PROBE2(provider, name, x1, x2) \
	DTRACE_PROBE2(provider, name, x1, x2)
#define STAP_PROBE3(provider, name, x1, x2, x3) \
	DTRACE_PROBE3(provider, name, x1, x2, x3)
#define STAP_PROBE4(provider, name, x1, x2, x3, x4) \
	DTRACE_PROBE4(provider, name, x1, x2, x3, x4)
#define STAP_PROBE5(provider, name, x1, x2, x3, x4, x5) \
	DTRACE_PROBE5(provider, name, x1, x2, x3, x4, x5)
#define STAP_PROBE6(provider, name, x1, x2, x3, x4, x5, x6) \
	DTRACE_PROBE6(provider, name, x1, x2, x3, x4, x5, x6)
#define STAP_PROBE7(provider, name, x1, x2, x3, x4, x5, x6, x7) \
	DTRACE_PROBE7(provider, name, x1, x2, x3, x4, x5, x6, x7)
#define STAP_PROBE8(provider, name, x1, x2, x3, x4, x5, x6, x7, x8) \
	DTRACE_PROBE8(provider, name, x1, x2, x3, x4, x5, x6, x7, x8)
#define STAP_PROBE9(provider, name, x1, x2, x3, x4, x5, x6, x7, x8, x9) \
	DTRACE_PROBE9(provider, name, x1, x2, x3, x4, x5, x6, x7, x8, x9)
#define STAP_PROBE10(provider, name, x1, x2, x3, x4, x5, x6, x7, x8, x9, x10) \
	DTRACE_PROBE10(provider, name, x1, x2, x3, x4, x5, x6, x7, x8, x9, x10)
#define STAP_PROBE11(provider, name, x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11) \
	DTRACE_PROBE11(provider, name, x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11)
#define STAP_PROBE12(provider, name, x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12) \
	DTRACE_PROBE12(provider, name, x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12)
#endif
