# SPDX-License-Identifier: MIT
# Each fault and each switch of a program fires, as the kernel counts them in its task.
# @@kernels: 6.1 6.12
# @@needs: types
# @@timeout: 60
. ../_lib.sh
dtrace -qn 'BEGIN { base = gone = 0; }
	cpc:::minor_faults-all-1 /pid == $target/ { base = faults++ ? base : curthread->min_flt - 1; }
	cpc:::context_switches-all-1 /pid == $target/ { all = curthread->nvcsw + curthread->nivcsw; gone = switches++ ? gone : all - 1; }
	proc:::exit /pid == $target/ {
		printf("faults %s\n", faults > 20 && curthread->min_flt - base == faults ? "equal" : "differ");
		printf("switches %s\n", switches > 9 && all - gone == switches ? "equal" : "differ");
	}' -c 'sh -c "for i in 0 1 2 3 4 5 6 7 8 9; do cat /proc/self/stat >/dev/null; done"'
