# SPDX-License-Identifier: MIT
# @@kernels: 6.1 6.12
# -lv shows the stability and the argument types of the provider file.
. ../_lib.sh
start victim
dtrace -lv -n "victim$V:::pair" |
	sed "s/victim$V/victimPID/; s/^ *[0-9][0-9]* *victimPID */ID victimPID /"
finish
