# SPDX-License-Identifier: MIT
# @@kernels: 6.1 6.12
# @@timeout: 60
# Ten thousand functions, entry and return, are enabled and released in seconds; each fires.
. ../_lib.sh
mkfifo "$T/in"
many <"$T/in" &
V=$!
exec 3>"$T/in"
trace -n "pid$V:many:fun_*:entry, pid$V:many:fun_*:return { @[probename] = count(); }
END { printa(\"%s %@d\\n\", @); }"
sites
echo >&3
wait "$V"
start=$(cut -d. -f1 /proc/uptime)
untrace
sites
[ $(($(cut -d. -f1 /proc/uptime) - start)) -lt 20 ] && echo soon
