# SPDX-License-Identifier: MIT
# On a device that consists of others, transfers that it carries out in parts end with the place and
# size with which they have begun, with as many sectors as the kernel counts in /sys/block. Flushes of
# its cache do not fire.
# @@kernels: 6.1 6.12 debug
# @@needs: types
# @@modules: dm_mod
# @@timeout: 90
. ./_lib.sh
disk size=80m
umount "$T/mnt"
load dm_mod
dm=$(mapper make stripes 0 32768 striped 2 8 /dev/loop0 0 /dev/loop0 65536)
set -- $(cat "/sys/block/$dm/stat")
dtrace -qn 'io:::start /args[1]->dev_statname == $$1/ { starts++; at[arg0] = args[0]->b_blkno; size[arg0] = args[0]->b_bcount; larger += args[0]->b_bcount > 4096; }
	io:::done /args[1]->dev_statname == $$1/ { dones++; empty += !args[0]->b_bcount;
		bad += at[arg0] != args[0]->b_blkno || size[arg0] != args[0]->b_bcount || args[0]->b_error;
		@[args[0]->b_flags & B_READ ? "read" : "written", args[0]->b_flags & B_PHYS ? "direct" : "pages"] = sum(args[0]->b_bcount); }
	io:::done /args[1]->dev_statname == $$1 && args[0]->b_flags & B_READ/ { reads += args[0]->b_bcount / 512; }
	io:::done /args[1]->dev_statname == $$1 && args[0]->b_flags & B_WRITE/ { writes += args[0]->b_bcount / 512; }
	io:::wait-start /args[1]->dev_statname == $$1 && !args[0]->b_bcount/ { flushes++; }
	END { printf("sectors %d %d\n", reads, writes); printf("%d more starts than ends, %d bad, %d empty\n", starts - dones, bad, empty);
		printf("%s, %s\n", larger ? "longer than a stripe" : "short", flushes ? "flushed" : "not flushed");
		printa("%s %s: %@d\n", @); }' -c "sh -c 'dd if=/dev/zero of=/dev/$dm bs=256k count=4 conv=fsync 2>/dev/null
	echo 3 >/proc/sys/vm/drop_caches
	dd if=/dev/$dm of=/dev/null bs=256k count=4 2>/dev/null
	dd if=/dev/zero of=/dev/$dm bs=40k count=3 oflag=direct 2>/dev/null
	dd if=/dev/$dm of=/dev/null bs=40k count=2 iflag=direct 2>/dev/null'" "$dm" >"$T/out"
reads=$3 writes=$7
set -- $(cat "/sys/block/$dm/stat")
grep "^sectors $(($3 - reads)) $(($7 - writes))\$" "$T/out" >/dev/null && [ "$reads" != "$3" ] && [ "$writes" != "$7" ] &&
	echo "sectors: as the kernel counts" || { cat "$T/out"; echo "$(($3 - reads)) $(($7 - writes))"; }
grep -v '^sectors\|^$' "$T/out" | sed 's/^read pages:.*/read pages/' | sort
await mapper remove stripes
losetup -d /dev/loop0
await umount "$T/memory"
