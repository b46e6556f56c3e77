# SPDX-License-Identifier: MIT
# @@kernels: 6.1 6.12
# The whole path with a program built by clang.
PROGRAM=victim-clang
. ./_program.sh
