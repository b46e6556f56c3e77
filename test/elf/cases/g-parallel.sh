# SPDX-License-Identifier: MIT
# Several -G at once over the same objects, as a parallel make may do: each finds them as they were or done, never half done.
"$TOP/test/bench/link/generate" --provider >bench.d
"$TOP/test/bench/link/generate" 2000 | as -o a.o
cp a.o b.o
for i in 1 2 3 4 5 6 7 8; do
	{ link -s bench.d -o p$i.o a.o b.o; } 2>&1 &
done
wait
[ "$(sites a.o | wc -l)" = 2000 ] && [ "$(sites b.o | wc -l)" = 2000 ] || echo "sites are missing"
cmp a.o b.o
for i in 2 3 4 5 6 7 8; do cmp p1.o p$i.o; done
ls -A | grep '^\.' || :
