# SPDX-License-Identifier: MIT
# @@long: yes
# @@worlds: kernel 32-bit programs
# @@kernels: 6.1 6.12
# @@timeout: 60
# Stacks of programs of 32 bits through the kernel's part of them: signal handlers, however they are left, and system
# calls.
. ./_lib.sh
for program in frames-i386 frames-i386-static; do
	echo "$program"
	frames ./$program signal altstack informed untabled
done
echo "system calls"
dtrace -q -n 'profile-999 /pid == $target/ { printf("@"); ustack(); }' -c './frames-i386 calls 3000000' 2>&1 | functions |
	awk '$1 == "__kernel_vsyscall" && /frames_calls/ { calls++; whole += /frames_calls verb main _start$/ }
	END { print (calls > 20 ? "many" : "few"), (whole == calls ? "whole" : "broken") }'
