# SPDX-License-Identifier: MIT
# Arguments of pid probes: of entry, those of the calling convention, on the stack too; of return,
# the offset and the value; of an offset, none.
. ../_lib.sh
start victim sum 2
trace -n "
pid$V:a.out:sum_eight:entry
{
	printf(\"%s %d %d %d %d %d %d %d %d\n\", probename, arg0, arg1, arg2, arg3, arg4, arg5, arg6,
	    arg7);
}
pid$V:a.out:sum_eight:return { printf(\"%s:%s:%s at %x value %d\n\", probemod, probefunc, probename, arg0, arg1); }
pid$V:a.out:sum_eight:a { printf(\"%s:%s:%s %d %d\n\", probemod, probefunc, probename, arg0, arg1); }"
sites
rows probes | sed -n "s/$V/PID/; s/^.* //; /^pid/p"
finish
untrace
sites
rows probes | awk '/ pid/'
