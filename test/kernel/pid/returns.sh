# SPDX-License-Identifier: MIT
# Returns: each one of several, tail calls, but no jumps by a table; their offset and value. A
# function whose symbol has no size, one that is static, one with two names.
. ../_lib.sh
dtrace -qn '
pid$target:a.out:do_*:entry { printf("%s(%d)\n", probefunc, (int)arg0); }
pid$target:traced:do_*:return { printf("%s+%x = %d\n", probefunc, arg0, (int)arg1); }' -c traced |
	sed -e '/do_nothing2(/s/(.*)/()/' -e '/do_nothing2+/s/=.*/= ?/' \
		-e '/do_hidden+/s/+[^ ]*/+?/' -e '/do_cpp+/s/+[^ ]*/+?/' -e '/do_eight+/s/+[^ ]*/+?/' -e /^$/d -e /^sum/d
