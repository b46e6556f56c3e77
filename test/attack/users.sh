# SPDX-License-Identifier: MIT
# Limits cover all sessions of one user: their number, and their memory. Other users are not affected, and a
# message names the limit and who can raise it.
# @@timeout: 30
. ./_lib.sh
policy 'user user dtrace_proc'
cd /sys/module/dtrace/parameters
sessions=$(cat user_sessions)
memory=$(cat user_memory)
echo 20 >user_sessions
pipes go

su user -c "exec $BIN/attack-sessions" <"$T/go" >"$T/many" &
exec 3>"$T/go"
await grep -q sessions "$T/many"
cat "$T/many"
cat /proc/dtrace/users | awk 'NR > 1 && $2 ~ /\/20$/ { print "listed:", $2 }'
su user -c 'tail -n +2 /proc/dtrace/users | wc -l'
# another user sees nothing of that
perl -e '$( = $) = "1001 1001"; ($<, $>) = (1001, 1001); exec "tail -n +2 /proc/dtrace/users | wc -l"'
echo "-- the user's next"
user 'dtrace -qn "BEGIN { exit(0); }"'
echo "-- root's"
dtrace -qn 'BEGIN { printf("traces\n"); exit(0); }'
echo "-- with a higher limit"
echo 30 >user_sessions
user 'dtrace -qn "BEGIN { printf(\"traces\n\"); exit(0); }"'
exec 3>&-
wait

echo "-- memory"
echo $((8 << 20)) >user_memory
user 'dtrace -x bufresize=manual -x bufsize=64m -qn "BEGIN { exit(0); }"'
user 'dtrace -x bufsize=64m -qn "BEGIN { printf(\"fits when it is smaller\n\"); exit(0); }"'
await eval '! rows users | grep -v "/-"'
rows users | grep -v "/-"
echo $memory >user_memory
echo $sessions >user_sessions
