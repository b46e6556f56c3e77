# SPDX-License-Identifier: MIT
# @@worlds: user the module maps nothing in processes
# @@timeout: 120
# A process that may have only a few more mappings is refused, or its sites are, and dtrace says
# which limit it is.
. ./_join.sh
[ "$(cat /proc/sys/vm/max_map_count)" -le 100000 ] || { echo "a process may have too many mappings"; exit 77; }
for few in 2 4; do
	launch victim mapped $few
	refused >"$T/out"
	sed 's/has [0-9]* mappings/has N mappings/' "$T/out"
done
launch victim mapped 100
traced
echo "-- with enough mappings for the agent, but not for sites"
launch victim mapped 6
trace -p "$V" -n "$TICKS" >/dev/null
finished
wait $TRACE
output | grep -o 'have root raise vm.max_map_count$'
