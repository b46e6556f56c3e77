# SPDX-License-Identifier: MIT
# Patterns with which a simple matcher would backtrack for long, on 2,000 probes of the user's own: enabling them takes little time, and
# ends when dtrace is killed.
# @@timeout: 60
. ./_lib.sh
policy 'user user dtrace_proc'
pipes go
su user -c "exec $BIN/attack-globs" <"$T/go" >"$T/globs" &
exec 3>"$T/go"
await grep -q . "$T/globs"
cat "$T/globs"
echo "-- a control: the probes can be matched"
su user -c 'dtrace -ln "globs*:::" | wc -l'
su user -c 'dtrace -ln "globs*::*aaaa1999:" | wc -l'

as=$(printf 'a%.0s' $(seq 120))
for i in $(seq 200); do
	echo "globs*::*$as[b-z]:probe { }"
done >"$T/program.d"
echo 'BEGIN { printf("@tracing"); }' >>"$T/program.d"
chmod -R a+rX "$T"
su user -c "exec dtrace -Zqs $T/program.d" >"$T/out" 2>"$T/err" &
attack=$!
await grep -q tracing "$T/out"
cat "$T/err"
dies $attack
exec 3>&-
wait
