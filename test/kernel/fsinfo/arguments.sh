# SPDX-License-Identifier: MIT
# args[0] is the file: its name, path, file system and mount; how it is opened, and where it is read.
# @@kernels: 6.1 6.12 debug
# @@needs: types acl time32
# @@timeout: 120
. ../io/_lib.sh
disk size=80m
mkdir "$T/mnt/dir"

# files_of VERB - the files of each probe, while the program runs in $T/mnt/dir.
files_of()
{
	dtrace -qn 'syscall::getppid:return /pid == $target/ { on = ++calls == 1; } syscall::getppid:entry /pid == $target/ { on = 0; }
	fsinfo::: /on && pid == $target && args[0]->fi_fs != "devtmpfs"/ { @[probename, args[0]->fi_pathname,
		args[0]->fi_name == basename(args[0]->fi_pathname) ? "" : "another name",
		args[0]->fi_name == "<none>" || args[0]->fi_dirname == dirname(args[0]->fi_pathname) ? "" : "another directory",
		args[0]->fi_fs, args[0]->fi_mount] = sum(args[1]); }
	END { printa("%s %s%s%s %s %s %@d\n", @); }' -c "files $1 $T/mnt/dir $2" |
		sed -n "/^[a-z]* [0-9]* [0-9]*\$/d; s,$T,T,g; s/^readdir\(.*\) [1-9][0-9]*\$/readdir\1 some/; /./p" | sort
}

for verb in names transfers attributes "maps disk"; do
	echo "--- $verb"
	files_of $verb
done
echo "--- offset and flags"
dtrace -qn 'fsinfo:::read /pid == $target && args[0]->fi_name == "data"/ {
	printf("%d of %d at %d, %s\n", args[1], arg1, args[0]->fi_offset, args[0]->fi_oflags & O_NONBLOCK ? "nonblocking" : "blocking"); }
	fsinfo:::write /pid == $target && xlate <fileinfo_t> ((struct file *)arg0).fi_name == "copy"/ { printf("%d written, %d\n", args[1], args[0]->fi_oflags & O_ACCMODE); }' \
	-c "dd if=$T/mnt/dir/data of=$T/mnt/dir/copy bs=100 count=3" 2>/dev/null | grep .
echo "--- mounts"
mkdir "$T/bound"
mount --bind "$T/mnt/dir" "$T/bound"
dtrace -qn 'fsinfo:::open, fsinfo:::getattr /pid == $target && args[0]->fi_name == "data"/ {
	printf("%s %s %s\n", probename, args[0]->fi_pathname, args[0]->fi_mount); }' -c "cat $T/bound/data" | sed -n "s,$T,T,gp"
umount "$T/bound"
: | dtrace -qn 'fsinfo:::read /pid == $target && args[0]->fi_fs == "pipefs"/ { printf("%s %d\n", substr(args[0]->fi_pathname, 0, 6), args[1]); }' -c cat | grep .
no_disk
