# SPDX-License-Identifier: MIT
# @@worlds: kernel 32-bit programs, and counters of the module
# @@kernels: 6.1 6.12
# @@timeout: 90
# Features of stacks: ucaller and ustackdepth agree with them, also if there are only frame pointers; limits of depth; unwind
# tables belong to the session, and are freed with it.
. ./_lib.sh
names()
{
	sed -e 's/^  *//' -e 's/+0x.*//' -e '/^$/d' -e '/libc/d' -e '/^0x/d'
}
echo "tables"
dtrace -q -Z -n 'frames$target:::at { ufunc(ucaller); printf("\n%d\n", ustackdepth); ustack(3); }' -c './frames plain' | names
echo "frame pointers, of a program without"
dtrace -q -Z -x unwind=fp -n 'frames$target:::at { printf("%d\n", ustackdepth); ustack(); }' -c './frames plain' | names
echo "frame pointers"
dtrace -q -Z -x unwind=fp -n 'frames$target:::at { ufunc(ucaller); ustack(3); }' -c './frames-fp plain' | names
echo "32 bits"
dtrace -q -Z -n 'frames$target:::at { ufunc(ucaller); ustack(3); }' -c './frames-i386 plain' | names
echo "deep"
dtrace -q -Z -n 'frames$target:::at { printf("%d\n", ustackdepth); @[ustack(100)] = count(); }' -c './frames deep 5000' | names | uniq -c |
	awk '{ print $1, $2 }'
echo "key"
dtrace -q -Z -n 'frames$target:::at { @[ustack(4)] = count(); }' -c './frames plain plain plain' | names
echo "left: $(awk '$1 ~ /^unwind-(tables|processes|bytes)$/ { n += $2 } END { print n }' /proc/dtrace/stats)"
dtrace -q -x unwind=dwarf -n BEGIN 2>&1
true
