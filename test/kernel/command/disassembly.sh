# SPDX-License-Identifier: MIT
# @@kernels: 6.1 6.12
# -S shows the program's instructions.
dtrace -e -S -n 'BEGIN { x = 1 + pid; }' 2>&1 | grep -c -e DIFO -e ldgs -e stgs -e ret
