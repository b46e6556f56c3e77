# SPDX-License-Identifier: MIT
# _lib.sh - a disk for the cases of io, a loop device with a file system; and a server of NFS.
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

# write_cache NAME LINE - enter LINE in a cache of the server, as its daemon does elsewhere.
write_cache()
{
	echo "$2" >"/proc/net/rpc/$1/channel"
}

# server SIZE - have this kernel serve a tmpfs of SIZE, $T/served, to itself by NFS 4.1, and mount it
# at $T/mnt.
server()
{
	mkdir -p "$T/served" "$T/mnt" /var/lib/nfs/v4recovery
	modprobe nfsd
	modprobe nfsv4
	mount -t tmpfs -o "size=$1" none "$T/served"
	mount -t nfsd none /proc/fs/nfsd
	# Other versions need a daemon that knows the ports of services.
	echo -3 >/proc/fs/nfsd/versions
	echo 2 >/proc/fs/nfsd/threads
	# There are no clients of an earlier run to wait for.
	echo Y >/proc/fs/nfsd/v4_end_grace
	# Until the year 2038, for all: the root of the exported tree, without a check of ports.
	write_cache auth.unix.ip "nfsd 127.0.0.1 2147483647 all"
	write_cache nfsd.export "all $T/served 2147483647 $((0x2402)) 65534 65534 0"
	write_cache nfsd.fh "all 1 \\x00000000 2147483647 $T/served"
	mount -i -t nfs4 -o vers=4.1,addr=127.0.0.1,clientaddr=127.0.0.1,sec=sys 127.0.0.1:/ "$T/mnt"
}

# no_server - undo server, and unload its modules.
no_server()
{
	umount "$T/mnt"
	# the client takes leave of the server, which is still to answer
	await rmmod nfsv4
	await rmmod nfs
	echo 0 >/proc/fs/nfsd/threads
	umount /proc/fs/nfsd
	await umount "$T/served"
	await rmmod nfsd
}

# counted OP - print how often the client has called OP of the server, by the kernel's own count.
counted()
{
	awk -v op="$1:" '$1 == op { print $2 }' /proc/self/mountstats
}

# counted_bytes - print the bytes that the client has read, and those that it has written.
counted_bytes()
{
	awk '$1 == "bytes:" { print $6, $7 }' /proc/self/mountstats
}

# counted_short - print how often the server has written a part only.
counted_short()
{
	awk '$1 == "events:" { print $25 }' /proc/self/mountstats
}
