# SPDX-License-Identifier: MIT
# Clauses of timers that take long do not pause: root has no limit, and in the user world their time is dtrace's own.
# @@timeout: 60
dtrace -qwn 'tick-100 { chill(3000000); } tick-100 /++n == 50/ { printf("50 times\n"); exit(0); }'
