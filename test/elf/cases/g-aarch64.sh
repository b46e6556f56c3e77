# SPDX-License-Identifier: MIT
# Calls in aarch64 code: NOPs, returns, functions of their own for is-enabled calls; arguments by its calling convention; what is refused.
need clang aarch64-linux-gnu-objdump
asm() { clang --target=aarch64-linux-gnu "$@"; }
cat >p.d <<'D'
provider p {
	probe a(int, char *, short, unsigned char, long, int, float, double, long long, int, int, char);
	probe reals(float, double, float, float, float, float, float, float, float, double);
	probe none();
};
D
cat >a.s <<'S'
	.text
	.macro function name
	.type \name, %function
\name:
	.endm
	function calls
	bl __dtrace_p___a
	bl __dtraceenabled_p___a
	cbz w0, 1f
	bl __dtrace_p___reals
1:	bl __dtrace_p___none
	ret
	.size calls, . - calls
	function jumps
	b __dtrace_p___a
	.size jumps, . - jumps
	function jumps_enabled
	b __dtraceenabled_p___none
	.size jumps_enabled, . - jumps_enabled
	.section .text.once, "axG", %progbits, once, comdat
	.weak once
	function once
	bl __dtraceenabled_p___none
	bl __dtrace_p___none
	ret
	.size once, . - once
S
asm -c a.s -o a.o
cp a.o untouched.o
link -s p.d -o p.o a.o
sites -c a.o
echo "-- code"
aarch64-linux-gnu-objdump -d --no-show-raw-insn a.o | awk -F'\t' '/^ / { print $2, $3 }'
echo "-- relocations and symbols left"
readelf -rW a.o | awk '/R_AARCH64/ { print $3, $5, $6, $7 }' | sort | uniq -c
nm -u a.o
echo "-- section groups"
readelf -gW a.o | grep -c 'dtrace_sites$'
echo "-- the object that registers"
readelf -hW p.o | sed -n 's/ *Machine: *//p'
declared p.o
echo "-- a second time, and without a provider file"
cp a.o again.o
link -s p.d -o p2.o again.o
cmp a.o again.o
cmp p.o p2.o
link -o p3.o untouched.o
sites untouched.o
echo "-- without objects"
for machine in aarch64 arm64 aarch64-linux-gnu i386 i686-linux-gnu x86 x86_64 amd64 x86-64 x86_64-pc-linux-gnu; do
	link -m $machine -s p.d -o p4.o
	echo "$machine: $(readelf -hW p4.o | sed -n 's/ *Machine: *//p')"
done
rm p4.o
echo "-- the list"
if [ -x "$DTRACE" ]; then
	LD_LIBRARY_PATH="$(dirname "$LIBDIR")" DTRACE_LIBDIR="$LIBDIR" "$DTRACE" -G --list a.o | sed 's/ 0x[0-9a-f]* / /'
fi
echo "-- a program"
if [ -x "$DTRACE" ]; then
	printf '\t.globl _start\n\t.type _start, %%function\n_start:\tbl once\n\t.size _start, . - _start\n' >start.s
	asm -nostdlib -static -fuse-ld=lld start.s a.o -o program
	export LD_LIBRARY_PATH="$(dirname "$LIBDIR")" DTRACE_LIBDIR="$LIBDIR"
	"$DTRACE" -G --list program | sed 's/ 0x[0-9a-f]* / /'
	"$DTRACE" -l ./program
	"$DTRACE" -G --check -s p.d program || echo "status $?"
	"$DTRACE" -G --fire ./program || echo "status $?"
	unset LD_LIBRARY_PATH
fi
echo "-- refused"
cat >b.s <<'S'
	.type taken, %function
taken:	adrp x0, :got:__dtrace_p___a
	ldr x0, [x0, :got_lo12:__dtrace_p___a]
	blr x0
	.size taken, . - taken
	.data
	.xword __dtraceenabled_p___a
S
asm -c b.s -o b.o
link -s p.d -o p4.o b.o
printf '\t.text\n\tnop\n' >c.s
asm -c c.s -o c.o
printf '\t.text\nf:\tcall __dtrace_p___none\n' | as -o x86.o
cp a.o mixed.o
link -s p.d -o p4.o mixed.o x86.o
link -32 -s p.d -o p4.o mixed.o
link -m i686-linux-gnu -s p.d -o p4.o mixed.o
link -32 -m arm64 -s p.d -o p4.o mixed.o
link -m sparc -s p.d -o p4.o mixed.o
clang --target=aarch64_be-linux-gnu -c c.s -o big.o
link -s p.d -o p4.o big.o
cp mixed.o narrow.o
"$HERE/poke" narrow.o ehdr.e_ident_class 1
link -s p.d -o p4.o narrow.o
ls p4.o 2>/dev/null || echo "nothing was written"
