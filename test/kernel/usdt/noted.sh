# SPDX-License-Identifier: MIT
# @@kernels: 6.1 6.12
# A program that SystemTap's header was compiled into: its probes are listed from its file and from
# the process, and -p and -c trace them, arguments and semaphores.
. ../_lib.sh
program=noted
. ./_noted.sh
