# SPDX-License-Identifier: MIT
# @@kernels: 6.1 6.12
# One library at two addresses of a process, by dlmopen: a hit of one copy is no hit of the other's site, and the first copy
# stays traced when the other is unloaded.
. ../_lib.sh
pipes up go
twice "$BIN/libplug.so" "$T/up" "$T/go" &
read -r V <"$T/up"
echo "$(grep -c "r-xp.*libplug.so" "/proc/$V/maps") copies"
dtrace -l -n "plug$V:::hit" | grep -c hit
trace -p "$V" -n '
plug$target:::hit { printf("hit %d\n", arg0); @[uregs[R_RIP]] = count(); }
END { printa("a copy: %@d\n", @); }'
release
wait $TRACE
output
