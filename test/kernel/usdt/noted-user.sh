# SPDX-License-Identifier: MIT
# @@worlds: kernel changes users, and the module registers probes for all sessions
# @@kernels: 6.1 6.12
# The probes of SystemTap's notes in a process: another user cannot list them; while a session traces them, all sessions of root
# list them.
. ../_lib.sh
pipes up go
"$BIN/noted" tell "$T/up" wait "$T/go" &
read -r V <"$T/up"
su user -c "dtrace -l -p $V" 2>&1 | sed "s/$V/PID/"
trace -p "$V" -n 'noted$target:::plain { printf("fire\n"); }'
dtrace -lv -n "noted$V:::" | grep -c 'type not known'
finish
wait $TRACE
output
