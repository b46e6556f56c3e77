# SPDX-License-Identifier: MIT
# Each thread has a name; the process has that of its program.
# @@needs: types
dtrace -qc named -n 'pid$target::named:entry { printf("%s, %s\n", threadname, curlwpsinfo->pr_name); }' | grep .
dtrace -qc named -n 'pid$target::named:entry /threadname == execname/ { n++; } END { printf("%d\n", n); }' | grep .
