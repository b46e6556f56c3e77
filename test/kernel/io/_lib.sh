# SPDX-License-Identifier: MIT
# _lib.sh - a disk for the cases of io: a loop device with a file system.
. ../_lib.sh

# disk OPTIONS - make /dev/loop0 of a file in a tmpfs, which is mounted with OPTIONS, and mount it at $T/mnt.
disk()
{
	mkdir -p "$T/memory" "$T/mnt"
	mount -t tmpfs -o "$1" none "$T/memory"
	dd if=/dev/null of="$T/memory/disk" bs=1M seek=64 2>/dev/null
	losetup /dev/loop0 "$T/memory/disk"
	mke2fs /dev/loop0 >/dev/null
	# without reading ahead, by a thread of its own, while the case looks what the kernel has counted
	mount -t ext4 -o no_prefetch_block_bitmaps /dev/loop0 "$T/mnt"
}

# no_disk - undo disk.
no_disk()
{
	umount "$T/mnt"
	losetup -d /dev/loop0
	await umount "$T/memory"
}
