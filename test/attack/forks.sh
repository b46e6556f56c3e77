# SPDX-License-Identifier: MIT
# A process with probes that forks is charged for each copy. Beyond the limit of its user, children have no probes, a message says so,
# and nothing is registered. Other users are not affected; when all processes have ended, the user holds nothing.
# @@timeout: 30
. ./_lib.sh
limit=/sys/module/dtrace/parameters/user_registrations
before=$(cat $limit)
echo 8 >$limit
uid=$(id -u user)
held() { awk -v uid="$uid" '$1 == uid { split($4, n, "/"); print n[1] }' /proc/dtrace/users; }
count() { awk -v name="$1" '$1 == name { print $2 }' /proc/dtrace/stats; }
refusals=$(count fork-failures)

rm -rf /tmp/forks && mkdir -m 755 /tmp/forks && mkfifo -m 666 /tmp/forks/go
su user -c "exec $BIN/victim repeat 20 fork wait /tmp/forks/go end end print forked join" >"$T/victim" &
victim=$!
await grep -q forked "$T/victim"
dtrace -l -P dtrace >/dev/null	# forks are caught up with
echo "held: $(held)"
echo "children without: $(($(count fork-failures) - refusals))"
rows helper_errors | grep -o 'victim fork: user .* would be passed' | sort -u | sed "s/$uid/UID/"

# Another process of the user's cannot register; root's can.
su user -c "$BIN/victim fire 1" && echo "the user's next runs"
rows helper_errors | tail -1 | grep -o 'victim user .*/user_registrations' | sed "s/$uid/UID/"
trace -n 'victim$target:::tick { printf("root has %d\n", arg0); }' -c "victim fire 1"
wait $TRACE
output

for task in /proc/[0-9]*; do
	grep -qs "^PPid:.$victim$" $task/status && kill -KILL ${task#/proc/} 2>/dev/null # it may end just now
done
wait $victim
none() { dtrace -l -P dtrace >/dev/null; [ -z "$(held)" ]; }
await none && echo "nothing is held"
echo "$before" >$limit
rm -rf /tmp/forks
