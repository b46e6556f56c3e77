# SPDX-License-Identifier: MIT
# @@worlds: user the module shares no memory with processes
# By the control page, all processes of a session learn that it has ended. A process cannot make its mapping writable, and
# end the tracing of others.
dtrace -qn 'scribbler$target:::hit { @ = count(); } END { printa("%@d hits\n", @); }' -c 'scribbler control' 2>&1
