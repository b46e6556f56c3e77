# SPDX-License-Identifier: MIT
# @@worlds: user the module does not use ptrace
# Conditions that only root can arrange: kernel.yama.ptrace_scope, programs that gain rights, and processes of another user.
# @@timeout: 150
command -v rooted >/dev/null || { echo "no root here: test/run --kernel user@6.12 kernel/process/join-rights.sh"; exit 77; }
. ./_join.sh
# scope N - set kernel.yama.ptrace_scope.
scope() { rooted uid 0 run sh -c "echo $1 >/proc/sys/kernel/yama/ptrace_scope"; }

echo "-- set-user-id, set-group-id, with a capability, not readable"
dumpable=$(cat /proc/sys/fs/suid_dumpable)
rooted uid 0 run sh -c '
	echo 0 >/proc/sys/fs/suid_dumpable
	for kind in setuid setgid endowed unreadable; do
		cp "$BIN/victim" "/usr/bin/victim-$kind"
	done
	chgrp 7 /usr/bin/victim-setgid
	chmod 4755 /usr/bin/victim-setuid
	chmod 2755 /usr/bin/victim-setgid
	chmod 711 /usr/bin/victim-unreadable
	become endow /usr/bin/victim-endowed 13 run true'
chmod 666 "$T/up" "$T/go"
for kind in setuid setgid endowed unreadable; do
	echo "- $kind"
	launch victim-$kind
	dtrace -l -n 'victim*:::tick' 2>&1 | grep -c "victim$V"
	refused
	dtrace -q -c "victim-$kind say ran" -n 'pid$target::main:entry' 2>&1 | sed /^$/d
done
trace -n 'victim*:::tick { printf("%s %d\n", execname, arg0); }'
for kind in setuid setgid endowed unreadable; do
	victim-$kind fire 9
done
victim fire 1
untrace
rooted uid 0 run sh -c "echo $dumpable >/proc/sys/fs/suid_dumpable; rm /usr/bin/victim-*"
echo "-- of another user"
rooted gid 7 uid 7 run victim tell "$T/up" wait "$T/go" fire 3 say "it lives" leave &
VICTIM=$!
read -r V <"$T/up"
refused
for scope in 1 2; do
	echo "-- kernel.yama.ptrace_scope $scope"
	scope $scope
	launch victim
	refused
	launch victim
	dtrace -qn 'BEGIN { exit(0); } victim*:::tick' 2>&1 | sed -e "s/\b$V\b/PID/g" -e /^$/d
	finished
	dtrace -q -c 'victim fire 3' -n "$TICKS" 2>&1
	echo "- programs that start later: of dtrace, of others, and of others if /etc/dtrace/policy permits it"
	trace -wn 'BEGIN { system("victim fire 1; echo done"); } victim*:::tick { printf("%d\n", arg0); }'
	await grep -q done "$T/trace.out"
	victim fire 2
	rooted uid 0 run sh -c 'mkdir -p /etc/dtrace; echo "user user dtrace_proc" >/etc/dtrace/policy'
	victim fire 3
	rooted uid 0 run rm /etc/dtrace/policy
	untrace
done
scope 0
