# SPDX-License-Identifier: MIT
# The provider files of real projects are understood: every probe with its argument types.
cat >p.d <<'X'
# file: src/x.c
# prefix: rpc
#define Oid unsigned int
#ifdef __APPLE__
#include <mach/types.h>
#endif
/* a comment with #pragma D attributes Private/Private/Unknown provider syntax provider */
typedef struct Obj Obj;
typedef const uint8_t *const_uint8_p;
typedef struct { int a; union { long b; char *c; } d; } Both;
typedef const Obj *const_obj;
typedef loop_b loop_a;
typedef loop_a loop_b;
typedef int (*callback)(int, char *), other;
struct Full { int x; struct Full *next; };
extern int printf(const char *, ...) __attribute__((format(printf, 1, 2)));
enum { FIRST, SECOND };
inline int always = 1;
provider syntax {
	probe empty();
	probe nothing(void);
	probe unnamed(int, char *, const char *);
	probe named(int count, char* text, char * other, const char *const fixed);
	probe over__lines(unsigned int first,
		unsigned long
		long second, // a comment
		struct Full *
			third);
	probe arrays(int list[], char text[16], int grid[2][3]);
	probe pointers(char **argv, void *p, const void **q, volatile int *r);
	probe functions(int (*f)(int, char *), callback g);
	probe declared(Obj *o, const_uint8_p bytes, Both *both, enum color c);
	probe nested(const Obj *a, const_obj b, const_obj *c, loop_a d, const later e);
	probe undeclared(zoneid_t zone, string name, Oid id, bool flag, std::byte b);
	probe awkward(int class, long this, char *probe);
	probe long__long(long long a, unsigned long long b, long int c, short int d, signed char e);
	probe qualified(register const int a, char *restrict b, const struct Full * const c);
	probe with-hyphens(int);
	probe with__under_scores___(int);
	probe eleven(int a, int b, int c, int d, int e, int f, int g, int h, int i, int j, int k);
	probe mapped(int a, char *b, long c) : (char *b, int a);
	probe by__place(int, long) : (long long, struct Full *);
};
#pragma D attributes Evolving/Evolving/Common provider syntax provider
#pragma	D attributes Private/Private/Unknown provider syntax module
# pragma D attributes Standard/Stable/ISA provider syntax args
#pragma D option quiet
#pragma D depends_on library x.d
provider one { probe line(int); }; provider two { probe x(); }
typedef unsigned long later;
struct After { union { int a; }; };
BEGIN { printf("provider"); }
syscall::read:entry /pid == 1/ { @a[probefunc] = count(); }
X
link -s p.d -o p.o
declared p.o
