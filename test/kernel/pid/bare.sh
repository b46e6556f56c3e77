# SPDX-License-Identifier: MIT
# A program without a C library has no main: it is traced from its entry point on.
. ../_lib.sh
dtrace -qn 'pid$target:a.out:bare_work:entry { @ = count(); } END { printa("%@d calls\n", @); }' -c bare | sed /^$/d
dtrace -qn 'pid$target:a.out:bare_work:entry { @ = count(); } END { printa("%@d calls\n", @); }' -Z -c 'sh -c "exec bare"' | sed /^$/d
