# SPDX-License-Identifier: MIT
# @@kernels: 6.1 6.12
# The whole path with a 32-bit program with call sites.
PROGRAM=victim-i386-called
. ./_program.sh
