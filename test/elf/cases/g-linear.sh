# SPDX-License-Identifier: MIT
# Four times as many sites take about four times as many instructions, and a site takes a few thousand.
need valgrind
"$TOP/test/bench/link/generate" --provider >bench.d
for n in 20000 80000; do
	"$TOP/test/bench/link/generate" $n | as -o $n.o
	valgrind --tool=callgrind --callgrind-out-file=/dev/null "$DTRACE" -G -s bench.d -o p.o $n.o >log 2>&1 || cat log
	sed -n 's/.*Collected : //p' log >$n.instructions
done
size -A 80000.o | awk '$1 == "dtrace_sites" && $2 >= 1280000 { done = 1 } END { exit !done }' || echo "there are no records of the sites"
few=$(cat 20000.instructions) many=$(cat 80000.instructions)
[ "$few" -lt $((20000 * 10000)) ] || echo "20,000 sites: $few instructions"
[ "$many" -lt $((few * 5)) ] || echo "20,000 sites: $few instructions, 80,000: $many"
