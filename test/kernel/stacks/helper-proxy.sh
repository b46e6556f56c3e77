# SPDX-License-Identifier: MIT
# @@worlds: kernel profile-N, and the user world runs no helpers of ustack()
# @@kernels: 6.1 6.12
# -p registers the helpers of a process that has not registered them: once, with their arg3.
. ./_lib.sh
DTRACE_DOF_INIT_DISABLE=1 ./script load ./libscript.so forever &
V=$!
await grep -q libscript "/proc/$V/maps"
for try in 1 2; do
	dtrace -qn 'profile-499 /pid == $target/ { @[jstack(20, 512)] = count(); } tick-1s { exit(0); }' -p $V |
		awk '$1 == "leaf" { leaf++ } $1 == "main" { main++ } END { print (leaf && main ? "named" : "not named") }'
	rows processes | awk -v pid=$V '$1 == pid { print $5, "helper" }'
done
kill -9 $V
wait $V 2>/dev/null # the news of its end would interrupt the open of a pipe
mkfifo "$T/up" "$T/go"
DTRACE_DOF_INIT_DISABLE=1 ./script load ./libscript.so tell "$T/up" wait "$T/go" run main,data,leaf &
read -r V <"$T/up"
dtrace -x strsize=512 -qwn 'BEGIN { system("echo >%s/go", $$1); } script$target:::at { jstack(20, 512); exit(0); }' -p $V "$T" |
	grep -o 'said by the library'
