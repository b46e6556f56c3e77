# SPDX-License-Identifier: MIT
# A user who may not have the probes of a provider gets an error that names the right.
. ../_policy.sh
policy 'user user dtrace_proc'
for probe in syscall::read:entry fbt::vfs_read:entry io:::start sycall::read:entry; do
	user "dtrace -qn $probe" 2>&1 | tail -n 1
	user "dtrace -ln $probe" 2>&1 | tail -n 1
done
policy 'user user dtrace_user'
user "dtrace -ln syscall::read:entry" | grep -c read
user "dtrace -qn sched:::on-cpu" 2>&1 | tail -n 1
