# SPDX-License-Identifier: MIT
# Every instruction of a function, as classic DTrace names them.
. ../_lib.sh
dtrace -n 'pid$target::do_nothing2:' -c traced 2>&1 | awk '/do_nothing2:[0-9a-z]/ { print $NF }' | sort
