# SPDX-License-Identifier: MIT
# The probes of a traced program that is killed with -9 are removed; its firings are still reported.
# @@long: yes
. ../_lib.sh
start victim fire 3 forever
trace -n 'victim*:::tick /arg0 <= 3/ { @[arg0] = count(); } END { printa("%d\n", @); }'
release
await eval 'test "$(rows fasttrap | wc -l)" != 0'
kill -KILL "$V"
wait "$V" 2>/dev/null
await eval '! rows processes | grep -q "^ *$V "'
dtrace -l -P "victim$V" 2>/dev/null
echo "status $?"
untrace >"$T/all"
sort "$T/all"
echo "patched: $(sites)"
