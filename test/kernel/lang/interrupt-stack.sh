# SPDX-License-Identifier: MIT
# @@worlds: kernel programs in the user world have no addresses of the kernel
# @@kernels: 6.1 6.12
# The stacks of interrupts, which the kernel maps as it maps devices, are read.
. ../_lib.sh
dtrace -qn 'kinst::hrtimer_interrupt:0
/regs[R_RSP] - (uintptr_t)curthread->stack >= 16384/
{
	this->word = *(uint64_t *)regs[R_RSP];
	loaded++;
}
ERROR { errors++; }
tick-100ms /loaded > 10 || errors > 10/ { exit(0); }
END { printf("%s, %d errors\n", loaded > 10 ? "loaded" : "not loaded", errors); }' \
	-c 'sh -c "while :; do cat /proc/stat; done"' | grep loaded
