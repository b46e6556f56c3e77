# SPDX-License-Identifier: MIT
# @@kernels: 6.1 6.12
# -lv of a file shows the types of args[], what typedefs of the provider file stand for.
dtrace -lv "$BIN/mapped" | grep -v -e '^$' -e 'ID *PROV'
