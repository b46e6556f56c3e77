# SPDX-License-Identifier: MIT
# The whole path with called sites that dtrace -G rewrote.
PROGRAM=victim-called
. ./_program.sh
