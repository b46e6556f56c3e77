# SPDX-License-Identifier: MIT
# A key that is a symbol has the parts of its name only: it stands for other addresses too.
. ../_lib.sh
dtrace -q -O -x oformat=json -c 'victim fire 3' -n 'victim$target:::tick {
	@[umod(uregs[R_PC]), usym(uregs[R_PC]), uaddr(uregs[R_PC])] = count(); }' |
	sed -n 's/0x[0-9a-f]*/N/g; s/.*"keys": \[\(.*\)\], "count": 3.*/\1/p' | sed 's/}, /},\n/g'
