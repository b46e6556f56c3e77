# SPDX-License-Identifier: MIT
# Pid probes: of a user's own processes with dtrace_proc; not of others', nor of all, nor of
# programs with other rights that a traced process executes.
# @@timeout: 90
. ./_lib.sh
policy 'user user dtrace_proc'
cp "$BIN/victim" /usr/bin/victim-setuid
chmod 4755 /usr/bin/victim-setuid
banner=$(sed -n 's/^\([0-9a-f]*\) . linux_banner$/0x\1/p' /proc/kallsyms)
echo "--- own, until it executes a setuid program"
user "dtrace -q -c '$BIN/victim fire 2 run /usr/bin/victim-setuid fire 9' -n '
	pid\$target:victim:fire_tick:entry { printf(\"entry %d\n\", arg0); }
	pid\$target:victim:fire_tick:entry { trace(copyinstr($banner)); } ERROR { printf(\"fault %d\n\", arg4); }'" 2>/dev/null
sites
echo "--- root's"
start victim fire 3
user "dtrace -q -p $V -n 'pid\$target:victim:fire_tick:entry { exit(0); }'" 2>&1 | sed "s/$V/PID/g"
sites
echo "--- all users'"
user "dtrace -q -n 'pid*:$BIN/victim:fire_tick:entry { exit(0); }'" 2>&1 || echo refused
sites
finish
