# SPDX-License-Identifier: MIT
# More threads wait in functions than returns can be noted. The others' returns are missed: a session that traces returns is told so,
# and one that traces only entries of these functions is not.
# @@kernels: 6.1 6.12
. ./_lib.sh
missed() { rows stats | awk '$1 == "returns-missed" { print $2 }'; }
session entries -n 'fbt:vmlinux:*_sys_read:entry, fbt:vmlinux:ksys_read:entry, fbt:vmlinux:vfs_read:entry, fbt:vmlinux:pipe_read:entry { n++; }
	END { printf("%s entries\n", n > 4000 ? "many" : "few"); }'
ENTRIES=$SESSION
trace -n 'fbt:vmlinux:*_sys_read:return, fbt:vmlinux:ksys_read:return, fbt:vmlinux:vfs_read:return, fbt:vmlinux:pipe_read:return { n++; }
	END { printf("%s returns\n", n ? "some" : "no"); }'
# 4,096 returns can be noted, or 1,024 for each CPU. (Some calls come while the session begins.)
before=$(missed)
are_missed() { [ "$(missed)" -gt $((before + 1000)) ]; }
pipes read
python3 -I -S -c '
import _thread, posix
fd = posix.open("'"$T/read"'", posix.O_RDWR)
_thread.stack_size(65536)
for i in range(1100 + 256 * posix.cpu_count()):
	_thread.start_new_thread(posix.read, (fd, 1))
while True: posix.read(fd, 1)' 2>/dev/null &
THREADS=$!
await are_missed
kill -9 $THREADS
wait $THREADS 2>/dev/null
kill -TERM $ENTRIES $TRACE
wait $ENTRIES $TRACE
for name in entries trace; do
	echo "-- $name"
	output $name | sed 's/[0-9][0-9]*/N/' | sort -u
done
