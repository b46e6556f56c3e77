# SPDX-License-Identifier: MIT
# Transfers to and from an NFS server begin and end as often as each other, and end as often, with as
# many bytes, as the kernel counts in mountstats, for the file that the program reads and writes. One
# that fails has an error.
# @@kernels: 6.1 6.12
# @@needs: types
# @@modules: nfsd nfsv4
# @@timeout: 120
. ./_lib.sh

# transfers COMMAND - show the transfers of a shell command, and whether the kernel has counted them.
transfers()
{
	reads=$(counted READ) writes=$(($(counted WRITE) - $(counted_short)))
	set -- "$1" $(counted_bytes)
	dtrace -qs _nfs.d -c "sh -c '$1'" "$(stat -c %d "$T/mnt")" >"$T/out"
	reads=$(($(counted READ) - reads)) writes=$(($(counted WRITE) - $(counted_short) - writes))
	set -- "$2" "$3" $(counted_bytes)
	counts="counts $reads $writes"
	[ "$bytes" = no ] || counts="$counts $(($3 - $1)) $(($4 - $2))"
	grep -w "^$counts" "$T/out" >/dev/null && [ "$writes" -gt 0 ] && echo "as the kernel counts" || {
		cat "$T/out"
		echo "the kernel counts $counts"
	}
	grep -v '^counts\|^$' "$T/out"
}

server 4m
mkdir "$T/mnt/folder"
transfers "dd if=/dev/zero of=$T/mnt/folder/file bs=1000000 count=1 conv=fsync 2>/dev/null
	echo 3 >/proc/sys/vm/drop_caches
	cat $T/mnt/folder/file >/dev/null"
echo "--- direct"
transfers "dd if=/dev/zero of=$T/mnt/folder/direct bs=40000 count=3 oflag=direct 2>/dev/null
	dd if=$T/mnt/folder/direct of=/dev/null bs=64k iflag=direct 2>/dev/null"
echo "--- the server has no space left"
# of a call that fails the kernel counts all bytes
bytes=no
large="$T/mnt/folder/large"
transfers "dd if=/dev/zero of=$large bs=64k count=60 oflag=direct 2>/dev/null" >"$T/large"
sed 's/[0-9][0-9]*$/N/' "$T/large"
sum=$(sed -n 's/.*large: .*, //p' "$T/large" | awk '{ n += $1 } END { print n }')
blocks=$(stat -c %b "$T/served/folder/large")
[ "$sum" = $((blocks * 512)) ] && echo "as many bytes as the file has" || {
	cat "$T/large"
	echo "the file has $blocks blocks"
}
rm "$large"
echo "--- it has none for pages that are written back"
transfers "dd if=/dev/zero of=$large bs=1M count=6 conv=fsync 2>/dev/null; sync" |
	sed 's/[0-9][0-9]*$/N/'
# or the kernel tries again and again
mount -o remount,size=16m "$T/served"
sync
no_server
