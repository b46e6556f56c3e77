# SPDX-License-Identifier: MIT
# @@kernels: 6.1 6.12
# Addresses that are in no function of a file's symbol table: stubs of a PLT, the vdso, nothing at all.
. ./_lib.sh
for action in usym umod ufunc uaddr; do
	dtrace -q -Z -n "frames\$target:::address { $action(arg0); printf(\"\\n\"); }" -c './frames-nopie addresses' 2>&1
done | sed 's/ *$//'
dtrace -q -n 'BEGIN { usym(7); printf("\n"); ufunc(-1); printf("\n"); }' -n 'BEGIN { exit(0); }' | sed 's/ *$//'
