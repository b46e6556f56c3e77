# SPDX-License-Identifier: MIT
# The probes of a module are removed with it, while they are traced; when it is loaded again it has new ones.
. ./_lib.sh
load
trace -n 'kinst:instructions:instructions_known: { @[probename] = count(); } kinst::vfs_read:0 { @all = count(); }
END { printa("%s %@d\n", @); printa("%@d reads\n", @all); }'
armed
call 3
unload
armed
load
call 5
dtrace -qn 'kinst:instructions:instructions_known:5 { @ = count(); } END { printa("%@d\n", @); }' -c "$calling" | sed '/^$/d'
untrace >"$T/seen"
sort -n "$T/seen" | sed 's/[1-9][0-9]* reads/some reads/'
unload
rows probes | grep -c instructions_known
armed
