# SPDX-License-Identifier: MIT
# Probes of a module are made when it is loaded, before its own code runs, and removed with it.
. ./_lib.sh
pipes up go
dtrace -Zqn 'BEGIN { system("echo >%s", $$1); }
fbt:functions::entry { @[probefunc, probename] = count(); }
fbt:functions::return { @[probefunc, probename] = count(); }
END { printa("%s:%s %@d\n", @); }' "$T/up" -w >"$T/out" 2>"$T/err" &
D=$!
read -r _ <"$T/up"
for round in 1 2; do
	load
	call 2
	hooked
	unload
	hooked
done
kill -INT $D
wait $D
cat "$T/out" "$T/err"
hooked
