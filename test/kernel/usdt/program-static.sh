# SPDX-License-Identifier: MIT
# @@kernels: 6.1 6.12
# Trace a static program.
PROGRAM=victim-static
. ./_program.sh
