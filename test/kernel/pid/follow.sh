# SPDX-License-Identifier: MIT
# @@worlds: kernel registers probes by the device
# With followfork all descendants are traced, each as a process of its own, also in programs that
# they execute (as the vforked one does). All their probes are removed with the session.
. ../_lib.sh
pipes there wait1
start victim sum 1 vfork sum 4 end join fork sum 2 fork sum 2 tell "$T/there" wait "$T/wait1" text end join end join text
f="pid$V:victim:sum_eight"
UNDER="plant -f $V $BIN/victim sum_eight:entry:sum_eight sum_eight:a:sum_even --"
trace -x followfork -n "$f:entry, $f:a
{
	@[probename] = count();
	@own[probeprov == strjoin(\"pid\", lltostr(pid)) ? \"own\" : \"not\"] = count();
}
END { printa(\"%s %@d\\n\", @); printa(\"%s %@d\\n\", @own); }"
release
read -r _ <"$T/there"
untrace
sites
rows processes | awk '/ pid/'
echo >"$T/wait1"
wait "$V"
