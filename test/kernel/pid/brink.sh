# SPDX-License-Identifier: MIT
# The first function of a mapping and the last one can be traced if nothing is mapped beside it.
. ../_lib.sh
dtrace -q -c brink -n '
	pid$target:a.out:brink_*:entry, pid$target:a.out:brink_*:return { @[probefunc, probename] = count(); }
	END { printa("%s:%s %@d\n", @); }' | sed /^$/d | sort
