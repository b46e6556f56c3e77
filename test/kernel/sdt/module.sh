# SPDX-License-Identifier: MIT
# A module's own probes: they are made before its code runs, fire as often as they are hit, and are removed with it.
# @@kernels: 6.1 6.12
. ../_lib.sh
load()
{
	insmod /test/modules/probed.ko
}
call()
{
	echo "$1" >/sys/module/probed/parameters/call
}

pipes up go
dtrace -Zqn 'BEGIN { system("echo >%s", $$1); }
struct request { int number; const char *name; };
sdt:probed::probed_request { @requests[((struct request *)arg0)->number, stringof(((struct request *)arg0)->name), (int)arg1] = count(); }
sdt:probed::probed_many { @many[arg0, arg1, arg2, arg3, arg4, arg5, arg6] = count(); }
sdt:probed::probed_costly { @costly = max(arg0); }
sdt:::probed_loaded { @loaded = sum((int)arg0); }
END {
	printa("request %d, %s, %d: %@d\n", @requests);
	printa("many %d %d %d %d %d %d %d: %@d\n", @many);
	printa("costly %@d\n", @costly);
	printa("loaded %@d\n", @loaded);
}' "$T/up" -w >"$T/out" 2>"$T/err" &
D=$!
read -r _ <"$T/up"
for round in 1 2; do
	load
	call 3
	echo "made $(cat /sys/module/probed/parameters/made)"
	rmmod probed
done
kill -INT $D
wait $D
cat "$T/out" "$T/err"
echo "--- nobody traces"
load
call 1000
echo "made $(cat /sys/module/probed/parameters/made)"
dtrace -l -n 'sdt:probed::' | awk 'NR > 1 { print $2, $3, $4 }' | sort
dtrace -l -n 'rawtp:::probed_many' | awk 'NR > 1 { print $2, $3, $4 }'
dtrace -qn 'sdt:::probed_many { @ = count(); } END { printa("%@d of 1000\n", @); }' \
	-c 'sh -c "echo 1000 >/sys/module/probed/parameters/call"'
rmmod probed
dtrace -l -n 'sdt:probed::' 2>&1 | tail -n 1 | grep -o 'no module probed'
