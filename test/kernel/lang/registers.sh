# SPDX-License-Identifier: MIT
# @@worlds: kernel profile-N samples any program, and stacks of the kernel
# @@kernels: 6.1 6.12
# uregs[] are the registers of the traced process, whatever the probe is; the kernel's stack begins
# with the interrupted function, and caller is its caller. Both CPUs may sample before an exit()
# ends the session: the case compares the first sample.
dtrace -q -c 'victim fire 1' -n '
victim$target:::tick
{
	ustack(1);
	usym(uregs[R_PC]);
	printf("\n%d %d\n", uregs[R_SP] > uregs[R_PC], uregs[R_CS] & 3);
}' | sed -e 's/+0x[0-9a-f]*//' -e 's/^ *//' -e 's/ *$//' -e '/^$/d'
while :; do :; done &
trap "kill $!" EXIT
dtrace -q -n '
profile-1ms /execname == "sh" && arg1/
{
	printf("%d %d %d\n", arg1 == uregs[R_PC], ustackdepth >= 1, stackdepth);
	exit(0);
}' | grep -m 1 .
dtrace -q -n '
profile-1ms /arg0 && stackdepth > 2/
{
	printf("%a\n%a\n", arg0, caller);
	stack(2);
	exit(0);
}' | sed -e 's/^ *//' -e '/^$/d' | head -n 4 >"$T/frames"
uniq "$T/frames" | wc -l
sort "$T/frames" | uniq -c | sed -e "s/ *2 .*/twice/"
