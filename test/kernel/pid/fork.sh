# SPDX-License-Identifier: MIT
# Children of a traced process are not traced, and breakpoints that they inherit do no harm: by fork, by
# vfork and exec, in threads, by a clone with the same memory that is a process of its own, and grandchildren.
# Afterwards all text is restored; in the user world not that of children, which make no system call for that.
. ../_lib.sh
# With the same addresses each time, the jumps of the user world have the same form each time.
pipes up go
victim fixed exec tell "$T/up" wait "$T/go" \
	sum 1 fork sum 2 fork sum 2 end join text end vfork sum 4 end thread sum 1 end join text &
read -r V <"$T/up"
trace -n "pid$V:victim:sum_eight:entry, pid$V:victim:sum_eight:a
{
	@[pid == $V ? \"process\" : \"another\", probename] = count();
}
END { printa(\"%s %s %@d\\n\", @); }"
finish
untrace >"$T/counts"
sort "$T/counts"
sites
rows processes | awk '/ pid/'

# a process with the same memory has the same probes: the child, until it executes a program
dtrace -qn 'pid$target:a.out:kin_step:entry, pid$target:a.out:kin_step:return { @[pid == $target, probename] = count(); }
END { printa("%d %s %@d\n", @); }' -x aggsortkey -c "$BIN/kin 1 clone 1" | grep .
