# SPDX-License-Identifier: MIT
# @@kernels: 6.1 6.12
# @@timeout: 300
# Sessions begin and end while their process loads and unloads libraries all the time. Files that
# they have read may be gone when their probes are made, and new ones come when they end.
. ../_lib.sh
cp "$BIN/libplug-noted.so" "$T/libone.so"
cp "$BIN/libplug-noted.so" "$T/libtwo.so"
victim repeat 1000000000 dlopen "$T/libone.so" plug 1 dlclose dlopen "$T/libtwo.so" plug 2 dlclose end &
V=$!
await grep -q libone /proc/$V/maps
for session in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	dtrace -Zqp $V -n 'pid$target:::entry { n++; } tick-20ms /n/ { exit(7); }' >"$T/errors" 2>&1
	echo "status $?"
	grep failed "$T/errors"
done | sort | uniq -c
kill $V
