# SPDX-License-Identifier: MIT
# The arguments are where the calling convention puts what the provider file declares.
can32
cat >p.d <<'X'
typedef unsigned short handle;
typedef const char *text;
typedef struct opaque { int x; } *box;
enum color { RED };
provider p {
	probe narrow(char, signed char, unsigned char, bool, short, handle);
	probe words(long, unsigned long, size_t, unknown_t, text, box, int *, int [4]);
	probe reals(int, float, long, double, double);
	probe wide(int64_t, uint64_t, enum color, pid_t);
	probe many(float, float, float, float, float, float, float, float, float, int);
	probe none();
};
X
for name in narrow words reals wide many none; do
	printf '%s:\tcall __dtrace_p___%s\n\tjmp __dtrace_p___%s\n' $name $name $name
	printf '\t.type %s, @function\n\t.size %s, . - %s\n' $name $name $name
done >a.s
for bits in 64 32; do
	as --$bits a.s -o a.o
	link -s p.d -o p.o a.o
	echo "-- $bits"
	sites a.o
done
