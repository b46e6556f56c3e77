# SPDX-License-Identifier: MIT
# A description of a system call that only 32-bit programs have is remarked upon, if it does not ask for these.
export DEVICE_CALLS=1
for description in syscall::read:entry syscall::socketcall:entry syscall::waitpid:entry syscall:linux32:waitpid:entry \
	'syscall::wait*:entry' syscall:::entry; do
	echo "$description"
	dtrace -n "$description" -n 'BEGIN { exit(0); }' 2>&1 | grep 'matched\|fires'
done
