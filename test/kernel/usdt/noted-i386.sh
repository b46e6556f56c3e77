# SPDX-License-Identifier: MIT
# @@worlds: kernel 32-bit programs
# @@kernels: 6.1 6.12
# A 32-bit program that SystemTap's header was compiled into: its probes are listed from its file and from
# the process, and -p and -c trace them, arguments and semaphores.
. ../_lib.sh
program=noted-i386
. ./_noted.sh
