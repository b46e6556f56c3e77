# SPDX-License-Identifier: MIT
# @@kernels: 6.1 6.12
# -V prints the version; no argument at all prints how it is used, an unknown one says so.
dtrace -V | sed 's/[0-9][0-9.]*/N/g'
dtrace >"$T/out" 2>&1
echo "status $?"
grep -c '[Uu]sage' "$T/out"
dtrace --nonsense 2>&1
echo "status $?"
