# SPDX-License-Identifier: MIT
# @@worlds: kernel getf() and d_path() read objects of the kernel
# d_path and getf name the files of the traced process as the kernel does: across mounts, in another
# root directory, deleted files, and objects that are no files.
# @@needs: types
mkdir "$T/mnt"
mount -t tmpfs none "$T/mnt"
mkdir "$T/mnt/a dir"
exec 5>"$T/mnt/a dir/file" 6>"$T/gone" 7<"$T/mnt"
rm "$T/gone"
cat >"$T/files.d" <<'D'
inline string PATH[int fd] = d_path(&((struct file *)getf(fd))->f_path);
victim$target:::tick
{
	printf("%s\n%s\n%s\n%s\n", PATH[5], PATH[6], PATH[7], substr(PATH[0], 0, 6));
	printf("in %s of %s\n", d_path(&curthread->fs->pwd), d_path(&curthread->fs->root));
	printf("%d %s\n", getf(99) == NULL, execargs);
}
victim$target:::tick { trace(d_path((void *)0x40)); }
ERROR { printf("error %d %x\n", arg4, arg5); }
D
cd /sys/kernel
: | dtrace -q -s "$T/files.d" -c 'victim fire 1' 2>&1 |
	sed -e "s:$T:T:g" -e "s/ID [0-9]*: victim[0-9]*/ID N: victimN/" -e "/^$/d"
: | readlink /proc/self/fd/0 | cut -c 1-6
exec 5>&- 7<&-
# of a path that is longer than the kernel's longest the last 4096 bytes remain, from within a name on
name=$(seq -s. 99 | cut -c 1-200)
perl -e '$^F = 99; ($folder, $name, @dtrace) = @ARGV; chdir $folder;
	for (1 .. 21) { mkdir $name; chdir $name; } open $open, "<", "."; chdir "/"; exec @dtrace, fileno $open' \
	"$T/mnt" "$name" dtrace -qx strsize=8k -n 'victim$target:::tick { trace(d_path(&((struct file *)getf($1))->f_path)); }' \
	-c 'victim fire 1' >"$T/long"
path="$T/mnt$(for i in $(seq 21); do printf %s "/$name"; done)"
[ "$(cat "$T/long")" = "$(printf %s "$path" | tail -c 4096)" ] && echo "the end of ${#path} bytes"
cd /
umount "$T/mnt"
