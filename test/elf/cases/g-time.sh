# SPDX-License-Identifier: MIT
# 100,000 sites take seconds at most, sanitised as the tool may be here, and twice as many take about twice as long.
"$TOP/test/bench/link/generate" --provider >bench.d
for n in 100000 400000; do
	"$TOP/test/bench/link/generate" $n | as -o $n.o
	start=$(date +%s%N)
	link -s bench.d -o p.o $n.o
	echo $((($(date +%s%N) - start) / 1000000)) >$n.ms
done
size -A 100000.o | awk '$1 == "dtrace_sites" && $2 >= 1600000 { done = 1 } END { exit !done }' || echo "there are no records of the sites"
[ $(cat 100000.ms) -lt 10000 ] || echo "100,000 sites: $(cat 100000.ms) ms"
[ $(cat 400000.ms) -lt $((8 * $(cat 100000.ms) + 1000)) ] || echo "100,000: $(cat 100000.ms) ms, 400,000: $(cat 400000.ms) ms"
