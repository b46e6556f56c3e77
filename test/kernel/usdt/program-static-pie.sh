# SPDX-License-Identifier: MIT
# The whole path with a static program at a random address.
PROGRAM=victim-static-pie
. ./_program.sh
