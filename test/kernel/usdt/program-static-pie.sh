# SPDX-License-Identifier: MIT
# @@kernels: 6.1 6.12
# Trace a static program at a random address.
PROGRAM=victim-static-pie
. ./_program.sh
