# SPDX-License-Identifier: MIT
# Reserved fields of requests must be 0, and flags known: what is asked for otherwise is refused, not guessed at.
. ./_lib.sh
policy ''
reserved
cat /proc/dtrace/security
