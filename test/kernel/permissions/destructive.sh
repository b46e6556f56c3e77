# SPDX-License-Identifier: MIT
# @@kernels: 6.1 6.12
# Destructive actions: with dtrace_proc on own processes, on others' with proc_owner only.
# @@timeout: 90
. ./_lib.sh
echo "--- own"
policy 'user user dtrace_proc'
user "dtrace -q -c '$BIN/victim fire 1' -n 'victim\$target:::tick { raise(9); }'" 2>&1 | tail -n 1
user "dtrace -q -w -c '$BIN/victim fire 1 print alive' -n 'victim\$target:::tick { raise(9); }'"
user "dtrace -q -w -c '$BIN/victim fire 1 print alive' -n 'victim\$target:::tick { raise(18); }'"
user "dtrace -q -w -c '$BIN/victim pair 1' -n '
	victim\$target:::pair { copyoutstr(\"new\", arg1, 4); printf(\"%s\n\", copyinstr(arg1)); }'"
user "dtrace -q -w -c '$BIN/victim pair 1' -n '
	victim\$target:::pair { copyout(copyin(arg1 + 1, 1), arg1, 1); printf(\"%s\n\", copyinstr(arg1)); }'"
user "dtrace -q -w -c '$BIN/victim fire 1 print alive' -n '
	victim\$target:::tick { stop(); system(\"until grep -o ^State:.T /proc/%d/status; do usleep 10000; done; kill -CONT %d\", pid, pid); }'"
echo "--- own by what it may see, but not by this right"
policy 'user user dtrace_user'
user "dtrace -q -w -n 'BEGIN { raise(9); } BEGIN { stop(); } BEGIN { copyoutstr(\"new\", 4096, 4); }
	BEGIN { copyout(alloca(8), 4096, 8); } BEGIN { exit(0); } ERROR { printf(\"fault %d\n\", arg4); }'" 2>/dev/null
echo "--- another's: to see the kernel is not enough"
sh -c 'while :; do :; done' &
busy=$!
await grep -q 'while :' /proc/$busy/cmdline	# from then on it has its own memory, where its arguments are
taskset -p 2 $busy >/dev/null
words=$(cut -d ' ' -f 48 /proc/$busy/stat)
for right in dtrace_kernel 'dtrace_proc dtrace_user' 'dtrace_kernel proc_owner'; do
	policy "user user $right"
	user "taskset 1 dtrace -q -w -x cpu=1 -n '
	profile-97 /pid == $busy/ { printf(\"read %s\n\", copyinstr($words)); }
	profile-97 /pid == $busy/ { copyoutstr(\"SH\", $words, 3); printf(\"written\n\"); }
	profile-97 /pid == $busy/ { raise(18); printf(\"raised\n\"); }
	profile-97 /pid == $busy/ { exit(0); }
	tick-500ms { exit(0); }
	ERROR { printf(\"fault %d\n\", arg4); }'" 2>/dev/null | sed "s/^/$right: /"
	tr '\0' ' ' </proc/$busy/cmdline
	echo
done
kill -9 $busy
wait $busy 2>/dev/null
true
