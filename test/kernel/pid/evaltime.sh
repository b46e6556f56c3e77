# SPDX-License-Identifier: MIT
# @@kernels: 6.1 6.12
# Libraries that are mapped after the program was stopped at exec; without -Z that is an error.
. ../_lib.sh
dtrace -xevaltime=exec -Zqn 'pid$target:libc:puts:entry, pid$target:libc:printf:entry,
	pid$target:libc:__libc_start_main:entry { @[probefunc] = count(); }
pid$target:traced:main:entry { printf("main\n"); }' -c traced | sed /^$/d | sort
dtrace -xevaltime=exec -qn 'pid$target:libc:printf:entry' -c traced 2>&1 | tail -n +2
