# SPDX-License-Identifier: MIT
# lookup fires when a file system looks for a name that the name cache does not have: as often as the functions of the file
# system that do that.
# @@kernels: 6.1 6.12 debug
# @@timeout: 90
. ../io/_lib.sh
disk size=80m
cd "$T/mnt"
mkdir folder
for i in 1 2 3 4 5; do : >folder/$i; done
cd "$T/memory"
: >file
cd "$T"
echo 2 >/proc/sys/vm/drop_caches
dtrace -qn 'fsinfo:::lookup /pid == $target/ { @["lookup"] = count(); }
	fbt::ext4_lookup:entry, fbt::simple_lookup:entry /pid == $target/ { @[probefunc] = count(); }
	END { printa("%s %@d\n", @); }' \
	-c "ls -d $T/mnt/folder $T/mnt/folder/1 $T/mnt/folder/2 $T/mnt/folder/1 $T/mnt/folder/none $T/memory/none $T/memory/file" 2>/dev/null | grep '^[a-z]'
no_disk
