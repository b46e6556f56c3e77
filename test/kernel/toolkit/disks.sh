# SPDX-License-Identifier: MIT
# The scripts of the toolkit about files and disks, and about control groups, report what their workload did.
# @@kernels: 6.1 6.12
# @@needs: types
# @@timeout: 120
. ./_lib.sh
groups=$T/groups
mkdir "$groups"
mount -t cgroup2 none "$groups"
echo +cpu +io +memory >"$groups/cgroup.subtree_control"
mkdir "$groups/shop"
disk size=12m
show fslatency -c "dd if=/dev/zero of=$T/mnt/file bs=9 count=100 conv=fsync status=none"
total "ext4 write"
total "ext4 sync"
sync
echo 3 >/proc/sys/vm/drop_caches
show cachereads -c "dd if=$T/mnt/file of=/dev/null bs=9 status=none"
rows '$1 == "dd" { print $2, $3, ($4 > 0 && $5 > 0 ? "some from the disk" : $4 " " $5) }'
show cachereads -c "dd if=$T/mnt/file of=/dev/null bs=9 status=none"
rows '$1 == "dd" { print $2, $3, $4, $5 }'

# counted NAME - print the control group's value of a name in io.stat.
counted()
{
	tr ' ' '\n' <"$groups/shop/io.stat" | awk -F= '$1 == "'"$1"'" { n = $2 } END { print n + 0 }'
}
sync
was=$(counted wbytes)
show groupio -c "sh -c 'echo \$\$ >$groups/shop/cgroup.procs; dd if=/dev/zero of=$T/mnt/large bs=64k count=50 conv=fsync status=none'"
now=$(counted wbytes)
rows '$1 == "shop" && $3 == "write" { print $2, ($5 >= 3276800 ? "all" : $5), ($5 == '"$now - $was"' ? "as counted" : "of '"$now - $was"'") }'
was=$(awk '$1 == "usage_usec" { print $2 }' "$groups/shop/cpu.stat")
show groupcpu -c "sh -c 'echo \$\$ >$groups/shop/cgroup.procs; seq 300000 >/dev/null'"
now=$(awk '$1 == "usage_usec" { print $2 }' "$groups/shop/cpu.stat")
rows '$1 == "shop" { n = '"$now - $was"'; print ($3 > n * 0.8 && $3 < n * 1.2 ? "about as counted" : $3 " of " n) }'
dd if=/dev/zero of="$T/memory/fill" bs=64k 2>/dev/null
show ioerrors -c "sh -c 'for i in 1 2 3; do dd if=/dev/zero of=/dev/loop0 bs=4k count=1 seek=\$((10000 + i)) conv=notrunc,fsync 2>/dev/null; done'"
rows '$1 == "loop0" { if (!($3 in seen)) bytes += $4; seen[$3]; error[$2 " " ($5 == 28 || $5 == 5 ? "error" : $5)] } END { for (e in error) print e, bytes }'
no_disk
rmdir "$groups/shop"
umount "$groups"
