# SPDX-License-Identifier: MIT
# Threads wait for a tracer: at exec, at an address, within bounds, and whoever dies.
# @@timeout: 120
. ../permissions/_lib.sh
policy 'user user dtrace_proc'
chmod 755 "$T"
for name in marker a-name-of-more-than-fifteen-letters; do
	ln -s "$BIN/hold" "$T/$name"
done
cp "$BIN/hold" "$T/marker-setuid"
chmod 4755 "$T/marker-setuid"
hold "$T"
