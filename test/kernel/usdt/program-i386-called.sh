# SPDX-License-Identifier: MIT
# The whole path with a 32-bit program with called sites.
PROGRAM=victim-i386-called
. ./_program.sh
