# SPDX-License-Identifier: MIT
# A user who may trace, in a pid namespace, sees their own processes there, and nothing of their processes outside of it.
# @@timeout: 90
. ../permissions/_lib.sh
policy 'user user dtrace_proc dtrace_user'
cat >"$T/inside" <<'EOF'
dtrace -q -Z -x switchrate=20ms -n '
	BEGIN { printf("@tracing\n"); }
	victim*:::tick { printf("tick %d\n", arg0); }
	profile-997 { @[execname] = count(); }
	END { printa("sampled %s\n", @); }' &
tracer=$!
read -r line <"$GO"
"$BIN/victim" fire 1
perl -e 'for ($i = 0; $i < 3000000; $i++) { }'
kill $tracer
wait $tracer
EOF
pipes go
chmod 666 "$T/go"
GO="$T/go" become pidns groups 1000 gid 1000 uid 1000 run sh "$T/inside" >"$T/out" 2>&1 &
inside=$!
await grep -q @tracing "$T/out"
session outside -n 'victim*:::tick { printf("tick %d\n", arg0); } profile-997 /uid == 1000/ { @[execname] = count(); }
	END { printa("sampled %s\n", @); }'
user "$BIN/victim fire 3"
user "python3 -c 'for i in range(1000000): pass' 2>/dev/null"
release
wait $inside || :
kill -TERM $SESSION
wait $SESSION
echo "-- inside"
grep -E '^tick|^sampled (perl|python)' "$T/out"
echo "-- root, outside"
output outside | grep -E '^tick|^sampled (perl|python)' | sort
