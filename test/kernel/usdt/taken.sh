# SPDX-License-Identifier: MIT
# A program of another tool whose provider is called pid: its probes would have the names of those of functions, so they are refused.
. ../_lib.sh
pipes up go
taken "$T/up" "$T/go" &
read -r V <"$T/up"
dtrace -qp "$V" -n "BEGIN { exit(0); }" 2>&1 >/dev/null | sed "s/\<$V\>/PID/g"
release
wait "$V"
