# SPDX-License-Identifier: MIT
# @@kernels: 6.1 6.12
# Trace a program built by clang.
PROGRAM=victim-clang
. ./_program.sh
