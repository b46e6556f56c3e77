# SPDX-License-Identifier: MIT
# @@worlds: kernel fds[] reads objects of the kernel
# fds[], cwd and root: the files and directories of a process.
# @@needs: types
. ../_lib.sh
mkdir -p "$T/mnt" "$T/dir"
mount -t tmpfs none "$T/mnt"
mkdir "$T/mnt/sub"
echo 0123456789 >"$T/mnt/sub/read.txt"
cd "$T/dir" || exit 1
exec 5<"$T/mnt/sub/read.txt" 6>>"$T/dir/append" 7<>"$T/dir/both"
head -c 4 <&5 >/dev/null
dd bs=1 count=4 <&5 >/dev/null 2>&1
CHILD=nobody
start victim fire 1
trace -n '
victim*:::tick
{
	printf("%s %s %s\n", fds[5].fi_name, fds[5].fi_dirname, fds[5].fi_pathname);
	printf("%s %s\n", fds[5].fi_fs, fds[5].fi_mount);
	printf("%d\n", fds[5].fi_offset > 0);
	printf("%d %d %d\n", fds[5].fi_oflags & O_ACCMODE, fds[6].fi_oflags & O_ACCMODE, fds[7].fi_oflags & O_ACCMODE);
	printf("%d %d\n", fds[6].fi_oflags & O_APPEND ? 1 : 0, fds[7].fi_oflags & O_APPEND ? 1 : 0);
	printf("%s\n", fds[6].fi_pathname);
	printf("%s %s %d %d %s\n", fds[60].fi_name, fds[60].fi_pathname, fds[60].fi_oflags, fds[60].fi_offset, fds[60].fi_mount);
	printf("%s %s\n", fds[-1].fi_name, fds[100000].fi_fs);
	printf("%s %s\n", cwd, root);
	printf("%d\n", xlate <fileinfo_t> ((struct file *)getf(5)).fi_name == fds[5].fi_name);
}'
finish
untrace >"$T/out"	# not in a pipeline: it waits for a child of this shell
sed "s,$T,T,g" "$T/out"
cd /
exec 5<&- 6>&- 7>&-
umount -l "$T/mnt"
