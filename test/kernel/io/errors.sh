# SPDX-License-Identifier: MIT
# A transfer that fails has an error; threads wait for transfers, and wait-done fires afterwards.
# @@kernels: 6.1 6.12 debug
# @@needs: types
# @@timeout: 90
. ./_lib.sh
disk size=12m
dtrace -qn 'io:::done /args[0]->b_flags & B_ERROR/ { @[args[0]->b_error == EIO || args[0]->b_error == ENOSPC ? "error" : "none"] = count(); failed++; }
	io:::done /args[2]->fi_name == "large" && !args[0]->b_error/ { good++; }
	END { printf("%s, %s\n", failed ? "some fail" : "none fails", good ? "some do not" : "all do"); printa("%s\n", @); }' \
	-c 'sh -c "dd if=/dev/zero of=$T/mnt/large bs=1M count=30 conv=fsync 2>/dev/null"' | grep -v '^$'
umount "$T/mnt"
echo "--- waits"
# a flush may end before the thread waits for it, but hardly a hundred of them
dtrace -qn 'io:::wait-start /progenyof($target)/ { self->waits[arg0] = 1; starts++; }
	io:::wait-done /progenyof($target) && self->waits[arg0]/ { ends++; }
	io:::wait-done /progenyof($target) && args[1]->dev_statname != "loop0"/ { bad++; }
	END { printf("%s, %d more than ends, %d bad\n", starts ? "waits" : "no waits", starts - ends, bad); }' \
	-c "sh -c 'dd if=/dev/zero of=/dev/loop0 bs=1k count=100 oflag=sync 2>/dev/null; mount -t ext4 /dev/loop0 $T/mnt'" |
	grep -v '^$'
no_disk
