# SPDX-License-Identifier: MIT
# Threads of several children fire at the same time, each child with the same addresses: no hit is lost or counts for another child.
# @@timeout: 120
. ../_lib.sh
dtrace -q -Z -c 'victim repeat 3 fork repeat 8 thread fire 20000 end end join end end join' -n '
	victim*:::tick { @all = count(); @each[pid] = count(); }
	END { printa("%@d hits\n", @all); printa("%@d in a child\n", @each); }' | sed 's/ *$//'
