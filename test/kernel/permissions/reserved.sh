# SPDX-License-Identifier: MIT
# Reserved fields of requests must be 0, and flags known: the kernel refuses other requests.
. ./_lib.sh
policy ''
reserved
cat /proc/dtrace/security
