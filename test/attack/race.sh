# SPDX-License-Identifier: MIT
# Threads, fork children and a process that has received the file in a message make all requests of one open file at the same time,
# while signals arrive and the file is closed. The kernel logs no error, nothing is held afterwards, and others go on.
# @@long: yes
# @@timeout: 200
. ./_lib.sh
policy 'user user dtrace_proc dtrace_user'
[ "$KERNEL" = 6.1 ] || [ "$KERNEL" = 6.12 ] && rounds=20 || rounds=8
held() { awk '$1 == 1000 && !/-$/' /proc/dtrace/users; }
for device in session fasttrap; do
	echo "-- $device"
	become groups 1000 gid 1000 uid 1000 run attack-race $device $rounds 2>&1
	nothing() { [ -z "$(held)" ]; }
	await nothing && echo "nothing is held" || held
	victim fire 1
	user 'dtrace -qn "BEGIN { printf(\"traces\n\"); exit(0); }"' | grep traces
done
