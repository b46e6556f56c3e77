# SPDX-License-Identifier: MIT
# The scripts of the toolkit about memory report what their workload did, as control groups count it.
# @@kernels: 6.1 6.12
# @@needs: types
# @@timeout: 90
. ./_lib.sh
show allocs -c "dd if=/dev/zero of=/dev/null bs=64M count=0 status=none"
rows '$1 == "dd" && $3 == "mmap" { print ($5 >= 67108864 && $5 < 69000000 ? "what it asks for" : $5) }'
groups=$T/groups
mkdir "$groups"
mount -t cgroup2 none "$groups"
echo +memory >"$groups/cgroup.subtree_control"
mkdir "$groups/shop"
echo 20M >"$groups/shop/memory.max"
disk size=80m
dd if=/dev/zero of="$T/mnt/large" bs=1M count=40 conv=fsync status=none
echo 3 >/proc/sys/vm/drop_caches
show reclaims -c "sh -c 'echo \$\$ >$groups/shop/cgroup.procs; exec dd if=$T/mnt/large of=/dev/null bs=64k status=none'"
direct=$(awk '$1 == "pgsteal_direct" { print $2 } $1 == "pgsteal" { all = $2 }' "$groups/shop/memory.stat")
rows '$1 == "dd" { print $3, ($4 > 0 ? "it had to" : "never"), ($5 >= '"$direct"' && '"$direct"' > 0 ? "as counted" : $5 " of '"$direct"'") }'
level=$(cut -f 1 /proc/sys/kernel/printk)
dmesg -n 1 # the kernel tells at length whom it kills
show oomkills -c "sh -c 'exec 2>/dev/null; echo \$\$ >$groups/shop/cgroup.procs; dd if=/dev/zero of=/dev/null bs=50M count=1 status=none; true'"
dmesg -n "$level"
rows '$2 == "dd" { print $2, ($3 >= 50 ? "large" : $3), $4, $5, $6 }'
awk '$1 == "oom_kill"' "$groups/shop/memory.events"
no_disk
rmdir "$groups/shop"
umount "$groups"
