# SPDX-License-Identifier: MIT
# @@worlds: kernel profile-N samples any program
# profile-N records the program that runs: its pid, its user address.
. ../_lib.sh
victim forever &
V=$!
dtrace -q -n '
profile:::profile-200
/pid == $1 && arg1 != 0 && execname == "victim" && ++n == 10/
{
	printf("seen\n");
	exit(0);
}' $V
kill -KILL $V
