# SPDX-License-Identifier: MIT
# @@worlds: kernel mounts a file system that is full
# @@kernels: 6.1 6.12
# A full disk is an error, and the file has the output that fits.
mkdir "$T/small"
mount -t tmpfs -o size=64k none "$T/small"
dtrace -q -o "$T/small/out" -x switchrate=20ms -n 'tick-1ms { printf("%1000s\n", "line"); }' 2>&1 | sed "s,$T,T,"
wc -c <"$T/small/out"
umount "$T/small"
