# SPDX-License-Identifier: MIT
# @@kernels: 6.1 6.12
# Trace a program with call sites that dtrace -G has rewritten.
PROGRAM=victim-called
. ./_program.sh
