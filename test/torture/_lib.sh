# SPDX-License-Identifier: MIT
# _lib.sh - what the cases of torture share, besides what all kernel cases do.
. ../kernel/_lib.sh

# told STATUS - what a program that tortures has said in $T/told: in the kernel's log, and here if
# it failed, which it does too when not enough has happened.
told()
{
	echo "status $1"
	cat "$T/told" >/dev/kmsg
	[ "$1" = 0 ] || cat "$T/told"
}
