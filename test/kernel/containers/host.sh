# SPDX-License-Identifier: MIT
# A process in a pid and mount namespace of its own, with a file system of its own, registers. It is
# listed and traced from outside, by its number there; its functions are named from its files.
# @@timeout: 90
. ../_lib.sh
mkdir "$T/root"
mount -t tmpfs none "$T/root"
mkdir -p "$T/root/bin" "$T/root/pipes" "$T/root/proc" "$T/root/dev/dtrace"
cp "$BIN/victim-static" "$T/root/bin/inside"
touch "$T/root/dev/dtrace/helper"
mount --bind /dev/dtrace/helper "$T/root/dev/dtrace/helper"
mkfifo "$T/root/pipes/up" "$T/root/pipes/go"
become pidns run sh -c "mount -t proc none '$T/root/proc'
	exec chroot '$T/root' /bin/inside tell /pipes/up wait /pipes/go fire 2" &
read -r inner <"$T/root/pipes/up"
V=$(pidof inside)
echo "in there $inner, $(test "$V" != "$inner" && echo another out here)"
dtrace -l -n 'victim*:::tick' | sed "s/$V/PID/" | awk '{ print $2, $3, $4, $5 }'
trace -p "$V" -n 'victim$target:::tick { printf("%d %s %d", arg0, execname, pid == $target); ustack(1); }'
echo go >"$T/root/pipes/go"
wait $TRACE
output | sed 's/+0x[0-9a-f]*//'
wait
umount "$T/root/dev/dtrace/helper" "$T/root"
