# SPDX-License-Identifier: MIT
# No request about a process, accepted or refused, keeps the memory of the process when it has ended: the file system of its program
# can be unmounted.
. ./_lib.sh
policy 'user user dtrace_proc'
# released - unmount the file system; this fails while it is in use.
released() { umount "$T/fs"; }

for who in user root; do
	echo "-- $who asks"
	mkdir -p "$T/fs"
	mount -t tmpfs none "$T/fs"
	cp "$BIN/victim" "$T/fs/victim"
	start "$T/fs/victim" fire 1
	[ $who = user ] && user "kinds $V" || kinds "$V"
	released 2>/dev/null && echo "unmounted below a running program"
	finish
	echo "status $?"
	await released && echo "unmounted"
done

echo "-- and traces"
mount -t tmpfs none "$T/fs"
cp "$BIN/victim" "$T/fs/victim"
start "$T/fs/victim" sum 1
trace -p "$V" -n 'pid$target::sum_eight:entry { printf("sum\n"); }'
finish
wait $TRACE
output
await released && echo "unmounted"
