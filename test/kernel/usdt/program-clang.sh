# SPDX-License-Identifier: MIT
# The whole path with a program built by clang.
PROGRAM=victim-clang
. ./_program.sh
