# SPDX-License-Identifier: MIT
# Transfers that fail have an error, also for the thread that waits, and are as many as fail in the program. Threads wait for
# transfers, and wait-done fires afterwards, as often as the kernel counts flushes, and as ftrace records other waits.
# @@kernels: 6.1 6.12 debug
# @@needs: types
# @@timeout: 90
. ./_lib.sh
tracing=/sys/kernel/tracing
[ -e $tracing/events ] || mount -t tracefs none $tracing

# The memory below the disk is full, so that each write to a new block fails.
disk size=12m
umount "$T/mnt"
dd if=/dev/zero of="$T/memory/filler" bs=64k 2>/dev/null
cat >"$T/writes" <<'EOD'
for block in 8001 8002 8003 8004 8005 8006 8007; do
	dd if=/dev/zero of=/dev/loop0 bs=4k count=1 seek=$block oflag=direct 2>/dev/null || echo failed
	dd if=/dev/loop0 of=/dev/null bs=4k count=1 skip=$block iflag=direct 2>/dev/null || echo not read
done
EOD
dtrace -qn 'io:::done, io:::wait-done /args[1]->dev_statname == "loop0"/ {
		@[probename, args[0]->b_flags & B_READ ? "read" : "write", args[0]->b_flags & B_ERROR ? "B_ERROR" : "",
		    args[0]->b_error == EIO || args[0]->b_error == ENOSPC ? "error" : args[0]->b_error ? "another error" : "none"] = count(); }
	END { printa("%s: %s, %s: %s %@d\n", @); }' -c "sh $T/writes" | grep -v '^$' | sort | uniq -c | sed 's/^ *//'
losetup -d /dev/loop0
await umount "$T/memory"
echo "--- waits"
# fsync() flushes the disk, and waits for that; for the inode, it waits by __wait_on_buffer(), unless that is written already
disk size=100m
cat >"$T/syncs" <<'EOD'
n=0
until [ $((n += 1)) -gt 20 ] && grep -q ' dd-.*: buffer: ' /sys/kernel/tracing/trace; do
	dd if=/dev/zero of=$T/mnt/small bs=1k count=100 conv=fsync 2>/dev/null
done
EOD
echo 'p:waits/buffer __wait_on_buffer' >$tracing/kprobe_events
echo >$tracing/trace
echo 1 >$tracing/events/waits/enable
set -- $(cat /sys/block/loop0/stat)
flushes=${16}
dtrace -qn 'io:::wait-start /progenyof($target)/ { self->waits[arg0] = 1; starts++; }
	io:::wait-done /progenyof($target) && self->waits[arg0]/ { ends++; }
	io:::wait-done /progenyof($target) && args[1]->dev_statname != "loop0"/ { bad++; }
	io:::wait-start /execname == "dd"/ { @[args[0]->b_bcount ? "buffers" : "flushes"] = count(); }
	END { printf("%d more than ends, %d bad\n", starts - ends, bad); printa("%s %@d\n", @); }' \
	-c "sh $T/syncs" |
	grep -v '^$' >"$T/out"
echo 0 >$tracing/events/waits/enable
set -- $(cat /sys/block/loop0/stat)
buffers=$(grep -c ' dd-.*: buffer: ' $tracing/trace)
awk -v flushes=$((${16} - flushes)) -v buffers="$buffers" '{ n[$1] = $2 } /ends/
	END { print (n["flushes"] == flushes && flushes >= 20 ? "flushes: as the kernel counts" : n["flushes"] " flushes, counted " flushes)
		print (n["buffers"] == buffers && buffers > 0 ? "buffers: as ftrace counts" : n["buffers"] " buffers, counted " buffers) }' "$T/out"
echo >$tracing/kprobe_events
echo >$tracing/trace
no_disk
