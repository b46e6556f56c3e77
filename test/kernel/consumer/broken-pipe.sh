# SPDX-License-Identifier: MIT
# @@kernels: 6.1 6.12
# When the output has no reader any more, dtrace ends quietly, whatever it prints: records,
# aggregations, listings. Standard output that is closed from the beginning is an error.
tell()
{
	echo "$1: status $(cat "$T/status") $(wc -c <"$T/err") bytes of messages"
}

{ dtrace -q -x switchrate=20ms -n 'tick-10ms { printf("line\n"); }' 2>"$T/err"; echo $? >"$T/status"; } | head -n 1
tell records
{ dtrace -q -x switchrate=20ms -n 'tick-10ms { @ = count(); printa(@); }' 2>"$T/err"; echo $? >"$T/status"; } | head -n 1
tell aggregations
{ dtrace -l 2>"$T/err"; echo $? >"$T/status"; } | head -n 1 >/dev/null
tell listing
{ dtrace -q -n 'BEGIN { @["x"] = count(); exit(0); }' 2>"$T/err"; echo $? >"$T/status"; } | true
tell end
dtrace -q -n 'BEGIN { printf("x"); exit(3); }' >&- 2>"$T/err"
echo "closed: status $?"
cat "$T/err"
dtrace -q -n 'BEGIN { printf("x\n"); exit(3); }' >/dev/full 2>"$T/err"
echo "full: status $?"
cat "$T/err"
# END fires nevertheless.
{ dtrace -n 'BEGIN { printf("%4000s\n%4000s\n", "x", "y"); } END { system("echo end >%s", $$1); }' -qw "$T/end"; } | true
cat "$T/end"
{ dtrace -qB -x switchrate=20ms -n 'tick-10ms { printf("line\n"); }' 2>"$T/err"; echo $? >"$T/status"; } | head -n 1
tell buffered
