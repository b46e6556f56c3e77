# SPDX-License-Identifier: MIT
# The whole path with a static program.
PROGRAM=victim-static
. ./_program.sh
