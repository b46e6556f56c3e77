# SPDX-License-Identifier: MIT
# @@kernels: 6.1 6.12
# The whole path with call sites that dtrace -G rewrote.
PROGRAM=victim-called
. ./_program.sh
