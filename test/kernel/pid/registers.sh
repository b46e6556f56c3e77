# SPDX-License-Identifier: MIT
# @@worlds: kernel a tracer of the kernel
# A tracer that was at an instruction before dtrace, and so is called after dtrace, sees the
# registers before the instruction, although dtrace could emulate it.
. ../_lib.sh
tracing=/sys/kernel/tracing
[ -d $tracing/events ] || mount -t tracefs none $tracing || exit 1
start victim sum 2 tell "$T/up" wait "$T/go" sum 2

trace -n "pid$V:victim:sum_eight:a"
at=$(awk '/victim$/ { print $5 }' /proc/dtrace/fasttrap)
untrace

echo "p:others/hit $BIN/victim:$at ip=%ip sp=%sp" >$tracing/uprobe_events
echo 1 >$tracing/events/others/hit/enable
release
read -r V <"$T/up"
trace -n "pid$V:victim:sum_eight:a { printf(\"dtrace %s\n\", probename); }"
finish
untrace
echo 0 >$tracing/events/others/hit/enable

# without dtrace, with it
sed -n 's/.* hit: .* \(ip=.*\)/\1/p' $tracing/trace >"$T/hits"
wc -l <"$T/hits"
sort -u "$T/hits" | sed 's/ip=0x[0-9a-f]*\(...\) sp=.*/instruction \1/; s/'"${at#"${at%???}"}"'$/as probed/'
echo >$tracing/uprobe_events
