# SPDX-License-Identifier: MIT
# @@long: yes
# @@worlds: kernel requests of the device
# @@timeout: 60
# Wrong unwind tables: which are refused and why; the others, which are accepted, do no harm while stacks are recorded with
# them.
. ./_lib.sh
tables check
sleep 60 &
su user -c "$BIN/tables other $!" 2>&1 | sed 's/other.*: /other: /'
kill $!
echo "while stacks are recorded"
session wrong -n 'profile-1999 /strstr(execname, "tables") != NULL/ { @[ustack(100), ustackdepth, ucaller] = count(); } tick-1s { trunc(@); }'
tables 4
tables-i386 4
kill -TERM $SESSION
wait $SESSION
cat "$T/wrong.err"
awk '$1 ~ /^unwind-(tables|processes|bytes)$/ { n += $2 } END { print "left:", n }' /proc/dtrace/stats
# whose stacks need tables is for those to know who may trace them
tables missing 1000 >"$T/missing" &
await grep -q ready "$T/missing"
session missing -n 'frames*:::at { @[ustack()] = count(); }'
./frames until "$T/learned" plain &
await grep -q user "$T/missing"
touch "$T/learned"
wait $!
cat "$T/missing"
kill -TERM $SESSION
wait $SESSION
