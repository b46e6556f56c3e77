# SPDX-License-Identifier: MIT
# After exec the old program's probes are removed, and the new program's, if it has any, exist.
. ../_lib.sh
trace -n 'victim*:::tick { @[execname, arg0] = count(); } END { printa("%s %d %@d\n", @); }'
victim fire 1 exec fire 2 exec fire 1 \
	run sh -c 'dtrace -l -P "victim$$" 2>&1 | sed -e 1d -e s/$$/PID/'
untrace
