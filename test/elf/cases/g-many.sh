# SPDX-License-Identifier: MIT
# 88 objects of one provider's files link into one program; recorded and call sites mix.
i=0
while [ $i -lt 88 ]; do
	echo "provider qemu { probe event_$i(int); };" >p$i.d
	link -s p$i.d -o p$i.o
	i=$((i + 1))
done
cat >main.c <<'X'
#include <sys/sdt.h>
int called(int);
int main(int argc, char **argv)
{
	(void)argv;
	DTRACE_PROBE1(qemu, event_2, argc);
	return called(argc);
}
X
cat >called.c <<'X'
extern void __dtrace_qemu___event_1(int);
int called(int x)
{
	__dtrace_qemu___event_1(x);
	return 0;
}
X
cc gcc -c main.c called.c
link -s p1.d -o p1.o called.o
printf 'called probe qemu:event_1\nmain probe qemu:event_2\n' >want
for linker in bfd gold lld; do
	command -v ld.$linker >/dev/null || continue
	[ $linker = gold ] && pie="-pie -fPIE" || pie="-static-pie -fPIE"
	for flags in "" -static "$pie" -Wl,--gc-sections; do
		gcc -fuse-ld=$linker $flags main.o called.o p*.o -o main && ./main || echo "$linker $flags: $?"
		[ "$(declared main | grep -c ^declared)" = 88 ] || echo "$linker $flags: $(declared main | wc -l)"
		sites main | cut -d' ' -f1-3 | cmp - want
	done
done
