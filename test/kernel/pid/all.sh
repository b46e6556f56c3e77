# SPDX-License-Identifier: MIT
# @@worlds: kernel pid probes of all processes
# pid*: probes of a file, in the processes that have it mapped, and in those that start later. A
# process may also have probes of its own at the same instruction.
. ../_lib.sh
start victim sum 2 fork sum 1 end join text
f="sum_eight"
trace -n "pid\\*:victim:$f:entry, pid\\*:victim:$f:return
{
	@[probeprov, probename, probemod] = count();
	printf(\"%s %s %d\n\", probeprov, probename, arg1);
}
pid$V:victim:$f:entry { @one[\"one\", probename] = count(); }
END { printa(\"%s %s %s %@d\\n\", @); printa(\"%s %s %@d\\n\", @one); }"
rows probes | awk '/ pid[0-9*]/ { sub(/pid[0-9]+/, "pidPID"); print $3 }' | sort	# two providers' have no order
victim sum 1 text
finish
untrace
sites
rows probes | awk '/ pid[0-9*]/'
victim text
