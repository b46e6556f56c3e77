# SPDX-License-Identifier: MIT
# @@long: yes
# @@kernels: 6.1 6.12
# The names that descriptions can use for functions and modules, and those that their probes have.
# @@timeout: 90
. ../_lib.sh
list()
{
	dtrace -l -n "$1" -c traced 2>&1 | awk '$1 ~ /^[0-9]/ { $1 = ""; sub("pid[0-9]*", "pidN"); print }
		/failed/ { sub(/^dtrace: /, ""); sub(/pid[0-9]+/, "pidN"); print " " $0 }'
}
list 'pid$target:a.out:do_alias:entry'
list 'pid$target::__do_alias:entry'
list 'pid$target:traced:*do_alias:entry'
list 'pid$target:trac?d:do_returns:[78a]'
list 'pid$target:*:do_returns:return'
list 'pid$target:libc:malloc:entry'
list 'pid$target:libc.so:malloc:entry'
list 'pid$target:libc.so.6:malloc:0x0'
list 'pid$target::_ZN2ns1fEiPKc:entry'
list 'pid$target::ns\:\:f:entry'
list 'pid$target::ns\:\:f(int\,\ char\ const\*):entry'
list 'pid$target:t*:ns??f*:entry'
list 'pid$target::ns\:\:twice<int>:entry'
list 'pid$target::ns\:\:twice*:entry'
list 'pid$target::do_hidden:entry'
list 'pid$target:nosuch::entry'
