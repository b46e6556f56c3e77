# SPDX-License-Identifier: MIT
# @@worlds: kernel 32-bit programs
# @@kernels: 6.1 6.12
# Trace a 32-bit program.
PROGRAM=victim-i386
. ./_program.sh
