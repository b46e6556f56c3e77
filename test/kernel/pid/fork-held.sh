# SPDX-License-Identifier: MIT
# A forked child that cannot be stopped when tracing ends goes on as it was: no jump of it loses bytes that it needs.
. ../_lib.sh
pipes up go
"$BIN/held" "$T/up" "$T/go" >"$T/child" &
V=$!
trace -p $V -n 'pid$target:held:held: { @ = count(); }'
write_line "$T/go"
read -r _ <"$T/up"
untrace >/dev/null # here is no space for jumps of some instructions
write_line "$T/go"
wait $V
cat "$T/child"
