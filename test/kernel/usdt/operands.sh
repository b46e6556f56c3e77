# SPDX-License-Identifier: MIT
# @@kernels: 6.1 6.12
# Arguments are read from every location where compilers have them: members, globals, arrays,
# bit-fields, thread-local variables,
# registers and pairs of them, constants. The result of gcc -O2 is printed, and all others must be
# equal.
[ "$KERNEL" = user ] && also= || also="operands-i386 operands-i386-O0 operands-i386-nopie"
for program in operands operands-O0 operands-clang $also; do
	[ -x "$BIN/$program" ] || continue
	dtrace -q -c $program -n '
	operands$target:::members {
		printf("%d %d %d %d %d %d\n", arg0, arg1, arg2, arg3, arg4, arg5); }
	operands$target:::statics {
		printf("%d %d %d %d\n", arg0, arg1, arg2, arg3); }
	operands$target:::thread {
		printf("%d %d\n", arg0, arg1); }
	operands$target:::floating {
		printf("%x %x\n", arg0, arg1); }
	operands$target:::registers {
		printf("%d %d %d %d %d %d\n", arg0, arg1, arg2, arg3, arg4, arg5); }
	operands$target:::computed {
		printf("%d %d %d %d\n", arg0, arg1, arg2, arg3); }
	operands$target:::constants {
		printf("%d %d %d %d %d\n", arg0, arg1, arg2, arg3, arg4); }' >"$T/$program" 2>&1
	cmp -s "$T/$program" "$T/operands" || { echo "$program:"; cat "$T/$program"; }
done
cat "$T/operands"
