# SPDX-License-Identifier: MIT
# Every instruction of a function, by the names of classic DTrace.
. ../_lib.sh
dtrace -n 'pid$target::do_nothing2:' -c traced 2>&1 | awk '/do_nothing2:[0-9a-z]/ { print $NF }' | sort
