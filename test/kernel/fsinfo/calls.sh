# SPDX-License-Identifier: MIT
# Each probe fires as often as a program calls the operation: on the debug kernel too, which lacks some of what memory.sh needs.
# @@timeout: 60
. ./_lib.sh
mkdir "$T/memory"
mount -t tmpfs none "$T/memory"
compare files names "$T/memory"
compare files transfers "$T/memory"
umount "$T/memory"
