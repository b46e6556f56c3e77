# SPDX-License-Identifier: MIT
# The whole path with a 32-bit program.
PROGRAM=victim-i386
. ./_program.sh
