# SPDX-License-Identifier: MIT
# A program is traced from its first instruction on, when it has no thread pointer yet. A static program
# calls functions before it sets one.
. ../_lib.sh
dtrace -xevaltime=exec -qn 'pid$target:traced:main:entry { printf("main %d\n", tid == pid); }' -c traced | grep . | sort
for program in victim-static victim-static-pie; do
	dtrace -xevaltime=exec -xaggsortkey -qc "$program sum 3" -n '
	pid$target:a.out:__libc_start_main:entry, pid$target:a.out:__libc_setup_tls:entry,
	pid$target:a.out:__libc_setup_tls:return, pid$target:a.out:sum_eight:entry
	{
		@[probefunc, probename, tid == pid] = count();
	}
	END { printa("%s %s %d %@d\n", @); }' | grep .
done
