# SPDX-License-Identifier: MIT
# @@kernels: 6.1 6.12
# Sites of every form that dtrace -G rewrites fire with the right arguments, and the program runs
# as it would with the calls.
[ "$KERNEL" = user ] && also= || also=forms-i386
for program in forms $also; do
	dtrace -q -c $program -n '
forms$target:::direct
{
	printf("%s %s %d %s %d ", probefunc, probename, (int)arg0, copyinstr(arg1), (short)arg2);
	printf("%d %d %d %d %d\n", (int)arg3, (long)arg4, (int)arg5, (int)arg6, (int64_t)arg7);
}
forms$target:::tail
{
	printf("%s %s %d %d %d ", probefunc, probename, arg0, arg1, arg2);
	printf("%d %d %d %d %d\n", arg3, arg4, arg5, arg6, arg7);
}
forms$target:::maybe { printf("%s %s %d\n", probefunc, probename, arg0); }
forms$target:::real { printf("%s %s %d %x %x %d\n", probefunc, probename, arg0, arg1, arg2, arg3); }
forms$target:::got { printf("%s %s %d\n", probefunc, probename, arg0); }
'
done
