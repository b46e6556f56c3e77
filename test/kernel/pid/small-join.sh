# SPDX-License-Identifier: MIT
# A session joins a running thread that is on a stack of Go, which is in one mapping with the thread's variables: nothing below the
# stack is overwritten.
. ../_lib.sh
small wait >"$T/out" &
V=$!
await grep -q small "/proc/$V/comm" # until then it is a shell
for session in 1 2 3 4 5; do
	dtrace -qp $V -n 'pid$target:a.out:small_leaf:entry { exit(3); }' >"$T/hit"
	echo "status $?"
done | uniq -c | sed 's/^ *//'
kill $V
wait $V
cat "$T/out"
