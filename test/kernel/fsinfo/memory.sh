# SPDX-License-Identifier: MIT
# Each probe fires as often as a program calls the operation, with the bytes that the program reads and writes: in a tmpfs, for
# programs of 64 and of 32 bits.
# @@long: ci
# @@kernels: 6.1 6.12 debug
# @@needs: acl time32
# @@timeout: 120
. ./_lib.sh
mkdir "$T/memory"
mount -t tmpfs none "$T/memory"
# The program's counts; of a directory's entries there are more or fewer bytes.
for verb in names transfers attributes maps; do
	files $verb "$T/memory" | sed 's/^readdir \([0-9]*\) [1-9][0-9]*/readdir \1 some/'
done
compare_all "$T/memory"
umount "$T/memory"
