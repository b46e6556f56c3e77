# SPDX-License-Identifier: MIT
# @@long: yes
# @@worlds: kernel requests of the device
# Threads stop for a tracer: at exec, at an address, within limits, and if either side is killed.
# @@timeout: 120
. ../permissions/_lib.sh
policy 'user user dtrace_proc'
chmod 755 "$T"
for name in marker a-name-of-more-than-fifteen-letters; do
	ln -s "$BIN/stop" "$T/$name"
done
cp "$BIN/stop" "$T/marker-setuid"
chmod 4755 "$T/marker-setuid"
"$BIN/stop" "$T"
