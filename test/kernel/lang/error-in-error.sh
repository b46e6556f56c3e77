# SPDX-License-Identifier: MIT
# A fault within an ERROR clause is counted, and does not fire ERROR again.
dtrace -q -n '
BEGIN { trace(*(int *)0); }
BEGIN { exit(0); }
ERROR { trace(*(int *)8); }' 2>&1 | sed 's/ID [0-9]*/ID N/g; s/offset [0-9]*/offset N/'
