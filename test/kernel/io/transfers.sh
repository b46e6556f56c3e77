# SPDX-License-Identifier: MIT
# Transfers begin and end as often as each other, with as many sectors as the kernel counts in /sys/block, for the files
# that the program reads and writes.
# @@kernels: 6.1 6.12 debug
# @@needs: types
# @@timeout: 90
. ./_lib.sh
disk size=80m
mkdir "$T/mnt/folder"
sync
major=$((0x$(stat -c %t /dev/loop0))) minor=$((0x$(stat -c %T /dev/loop0)))
set -- $(cat /sys/block/loop0/stat)
dtrace -qn 'int64_t place[int];
	io:::start /args[1]->dev_statname == "loop0"/ { starts++; begun[arg0] = timestamp;
		at[args[0]->b_edev, args[0]->b_blkno] = timestamp; }
	io:::start /args[2]->fi_name == "file"/ { @files[args[0]->b_flags & B_READ ? "read" : "write", args[2]->fi_fs,
		strstr(args[2]->fi_pathname, "/mnt/")] = sum(args[0]->b_bcount); }
	io:::start /args[2]->fi_name == "file" && args[2]->fi_offset == 0/ { @at["offset 0", strstr(args[2]->fi_mount, "/mnt"), strstr(args[2]->fi_dirname, "/mnt/")] = count(); }
	io:::start /args[2]->fi_name == "file"/ { misplaced += args[2]->fi_offset != place[args[0]->b_flags & B_READ];
		place[args[0]->b_flags & B_READ] = args[2]->fi_offset + args[0]->b_bcount; transfers++;
		misnamed += args[1]->dev_major != $1 || args[1]->dev_minor != $2 || args[0]->b_edev != ($1 << 20 | $2); }
	io:::done /args[1]->dev_statname == "loop0"/ { dones++; bad += !begun[arg0] || !at[args[0]->b_edev, args[0]->b_blkno] || args[0]->b_error; }
	io:::done /args[1]->dev_statname == "loop0" && args[0]->b_flags & B_READ/ { reads += args[0]->b_bcount / 512; }
	io:::done /args[1]->dev_statname == "loop0" && args[0]->b_flags & B_WRITE/ { writes += args[0]->b_bcount / 512; }
	sdt:block::block_bio_queue /xlate <fileinfo_t> (args[0]).fi_name == "file"/ { @sdt["bio"] = sum(args[0]->bi_iter.bi_size); }
	sdt:block::block_rq_issue /xlate <fileinfo_t> (args[0]).fi_name == "file"/ { @sdt["request"] = sum(args[0]->__data_len); }
	END { printf("sectors %d %d\n", reads, writes); printf("%d more starts than ends, %d bad\n", starts - dones, bad);
		printa("%s %s %s: %@d\n", @files); printa("%s %s %s: %@d\n", @at);
		printf("%s transfers, %d not at the end of the last one, %d not of the device\n", transfers > 4 ? "several" : "few", misplaced, misnamed);
		printa("%s: %@d\n", @sdt); }' "$major" "$minor" -c 'sh -c "dd if=/dev/zero of=$T/mnt/folder/file bs=64k count=50 conv=fsync 2>/dev/null;
	echo 3 >/proc/sys/vm/drop_caches; cat $T/mnt/folder/file >/dev/null; sync"' >"$T/out"
reads=$3 writes=$7
set -- $(cat /sys/block/loop0/stat)
grep "^sectors $(($3 - reads)) $(($7 - writes))\$" "$T/out" >/dev/null && [ "$reads" != "$3" ] && [ "$writes" != "$7" ] &&
	echo "sectors: as the kernel counts" || { cat "$T/out"; echo "$(($3 - reads)) $(($7 - writes))"; }
grep -v '^sectors\|^$' "$T/out"
no_disk
