# SPDX-License-Identifier: MIT
# @@worlds: kernel stack() is a stack of the kernel
# @@kernels: 6.1 6.12
# ustack shows the functions of the program with their names; stack the kernel's; ustackdepth and
# ucaller agree.
# @@also: 6.1-rt 6.12-rt
dtrace -q -c 'victim pair 1' -n '
victim$target:::pair
{
	ustack(3);
	printf("%d\n", ustackdepth > 1);
	usym(ucaller);
	printf("\n");
	umod(ucaller);
	printf("\n");
}' |
	sed -e 's/+0x[0-9a-f]*//' -e 's/^ *//' -e 's/ *$//' -e '/^$/d'
dtrace -q -n '
tick-2ms /arg0/ { stack(2); printf("%d\n", stackdepth > 0); exit(0); }' | grep -c -e '`' -e '^1$'
