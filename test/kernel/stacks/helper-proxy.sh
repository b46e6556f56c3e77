# SPDX-License-Identifier: MIT
# -p registers the helpers of a process that has not done it: once.
. ./_lib.sh
DTRACE_DOF_INIT_DISABLE=1 ./script load ./libscript.so forever &
V=$!
for try in 1 2; do
	dtrace -qn 'profile-499 /pid == $target/ { @[jstack(20, 512)] = count(); } tick-1s { exit(0); }' -p $V |
		awk '$1 == "leaf" { leaf++ } $1 == "main" { main++ } END { print (leaf && main ? "named" : "not named") }'
	rows processes | awk -v pid=$V '$1 == pid { print $5, "helper" }'
done
kill -9 $V
