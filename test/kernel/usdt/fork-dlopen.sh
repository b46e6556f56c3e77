# SPDX-License-Identifier: MIT
# @@kernels: 6.1 6.12
# A child that loads and unloads a library is still traced, and its parent, too: by a pattern, by the name
# of the parent if the session follows forks, and else not at all.
. ../_lib.sh
set -- victim fire 1 fork fire 2 dlopen "$BIN/libplug.so" plug 3 fire 4 dlclose fire 5 \
	fork dlopen "$BIN/libplug.so" plug 6 fire 7 end join end join fire 8

echo "-- all"
trace -n 'victim*:::tick, plug*:::hit { @[probename] = count(); } END { printa("%s %@d\n", @); }'
"$@"
untrace >"$T/all"
grep . "$T/all" | sort

echo "-- a process and its descendants"
dtrace -Zq -x followfork -o "$T/followed" -c "$*" \
	-n 'victim$target:::tick, plug$target:::hit { @[probename] = count(); } END { printa("%s %@d\n", @); }'
grep . "$T/followed" | sort

echo "-- a process"
dtrace -Zq -o "$T/one" -c "$*" \
	-n 'victim$target:::tick, plug$target:::hit { @[probename] = count(); } END { printa("%s %@d\n", @); }'
grep . "$T/one" | sort
