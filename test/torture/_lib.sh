# SPDX-License-Identifier: MIT
# _lib.sh - functions of the cases of torture, besides those of all kernel cases.
. ../kernel/_lib.sh

# told STATUS - write the output of a torture program, in $T/told, to the kernel's log; print it if
# the program failed, also because not enough has happened.
told()
{
	echo "status $1"
	cat "$T/told" >/dev/kmsg
	[ "$1" = 0 ] || cat "$T/told"
}
