# SPDX-License-Identifier: MIT
# args[] have the types of the function.
# @@needs: types
dtrace -qn 'fbt::vfs_write:entry /pid == $target/
{
	printf("%s %d\n", stringof(args[0]->f_path.dentry->d_name.name), args[2]);
}
fbt::vfs_write:return /pid == $target/ { printf("%d %d\n", args[0], args[1]); exit(0); }' -c 'dd if=/dev/zero of=/dev/null bs=9 count=1' 2>&1 | grep -v records
dtrace -lvn fbt::vfs_write: | grep 'args\['
dtrace -qn 'fbt::vfs_write:entry { trace(args[4]); }' 2>&1
dtrace -lvn fbt::vfs_write:entry | grep -A1 'Argument Types'
