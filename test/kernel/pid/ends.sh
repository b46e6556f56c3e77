# SPDX-License-Identifier: MIT
# The last instructions of sections can be traced: nothing uses the bytes behind them.
. ../_lib.sh
dtrace -x evaltime=preinit -qn 'pid$target:a.out:_init:return, pid$target:a.out:_fini:return { printf("%s\n", probefunc); }' -c ways |
	sed -e '/^$/d' -e '/^sum/d'
