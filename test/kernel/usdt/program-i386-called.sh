# SPDX-License-Identifier: MIT
# @@worlds: kernel 32-bit programs
# @@kernels: 6.1 6.12
# Trace a 32-bit program with call sites.
PROGRAM=victim-i386-called
. ./_program.sh
