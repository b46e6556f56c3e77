# SPDX-License-Identifier: MIT
# The usual profile and tick probes can be listed.
dtrace -l -P profile | awk 'NR > 1 { print $3 }' | sort -V
