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
no_disk
echo "--- waits"
# fsync() flushes the disk, and waits for that
disk size=100m
dtrace -qn 'io:::wait-start /progenyof($target)/ { self->waits[arg0] = 1; starts++; }
	io:::wait-done /progenyof($target) && self->waits[arg0]/ { ends++; }
	io:::wait-done /progenyof($target) && args[1]->dev_statname != "loop0"/ { bad++; }
	END { printf("%s, %d more than ends, %d bad\n", starts >= 20 ? "waits" : "no waits", starts - ends, bad); }' \
	-c 'sh -c "for n in $(seq 20); do dd if=/dev/zero of=$T/mnt/small bs=1k count=100 conv=fsync 2>/dev/null; done"' |
	grep -v '^$'
no_disk
