# SPDX-License-Identifier: MIT
# A user's process registers sites of a set-user-ID program, with a semaphore in its data, and executes it. The program hits the
# breakpoint that another tracer has set in all processes. It gets no probes of the user's, and its memory stays as it is, even though
# forks have been lost and root traces what the user has registered.
# @@kernels: 6.1 6.12
# @@timeout: 90
. ./_lib.sh
events=/sys/kernel/tracing
[ -e $events/uprobe_events ] || mount -t tracefs none $events
[ -e $events/uprobe_events ] || { echo "this kernel has no uprobe events"; exit 77; }
cd /sys/module/dtrace/parameters
sites=$(cat user_sites)
memory=$(cat user_registration_memory)
echo $((64 << 20)) >user_sites
echo $((1 << 30)) >user_registration_memory
count() { awk -v name="$1" '$1 == name { print $2 }' /proc/dtrace/stats; }
pipes go

# Forks are lost: more are waiting than a user may have, because real-time threads leave little time to the worker that handles forks.
become realtime groups 1000 gid 1000 uid 1000 run attack-setid storm 1500 >"$T/storm" 2>&1 &
storm=$!
await grep -q . "$T/storm"
grep -v '^go$' "$T/storm"
[ "$(count fork-overflows)" -gt 0 ] && echo "forks were lost"
kill -KILL $storm
wait $storm 2>/dev/null

program=/usr/bin/attack-setid-setuid
cp "$BIN/attack-setid" $program
chmod 4755 $program
read -r hit armed semaphore <<EOF
$($program offsets)
EOF
printf 'p:setids %s:0x%x\n' $program "$hit" >$events/uprobe_events
echo 1 >$events/events/uprobes/setids/enable
chmod 666 "$T/go"
su user -c "exec $BIN/attack-setid own $program $hit $armed $semaphore" <"$T/go" >"$T/own" 2>&1 &
own=$!
exec 3>"$T/go"
await grep -q . "$T/own"
trace -n 'setid*:::hit, setid*:::armed { @[execname] = count(); }'
echo run >&3
wait $own
sed 1d "$T/own"
untrace
exec 3>&-
echo 0 >$events/events/uprobes/setids/enable
echo >$events/uprobe_events
rm $program
echo "$sites" >user_sites
echo "$memory" >user_registration_memory
[ "$(count fork-overflows)" -gt 0 ] || { echo "no fork was lost: nothing is shown"; exit 77; }
