# SPDX-License-Identifier: MIT
# A session with small principal buffers has space for aggregations of the default size.
. ../_lib.sh
dtrace -qx bufsize=128 -c "victim fire 3" -n '
victim$target:::tick { @ = count(); }
END { printa("%@d\n", @); }'
