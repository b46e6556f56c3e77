# SPDX-License-Identifier: MIT
# A rewritten object keeps mode and times, its other names keep the old content, and a second run finds nothing to do.
echo 'provider p { probe a(int); };' >p.d
printf '\t.text\n\t.type f, @function\nf:\tcall __dtrace_p___a\n\t.size f, . - f\n' | as -o a.o
chmod 640 a.o
touch -d '2001-02-03 04:05:06.789' a.o
ln a.o hard.o
ln -s a.o soft.o
cp a.o old.o
mkdir other; ln -s ../a.o other/b.o
stat -c '%y %a' a.o >before
link -v -s p.d -o p.o a.o soft.o ./a.o other/b.o a.o
stat -c '%y %a' a.o | cmp - before
cmp hard.o old.o
[ -L soft.o ] && [ -L other/b.o ] || echo "a symbolic link is gone"
sites soft.o
cp a.o once.o; stat -c '%i' a.o >inode
link -v -s p.d -o p.o a.o soft.o
cmp a.o once.o
stat -c '%i' a.o | cmp - inode
echo "-- by its hard link"
link -s p.d -o p.o hard.o a.o
cmp a.o hard.o
echo "-- nothing is left behind"
ls -A | sort
