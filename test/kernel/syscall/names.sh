# SPDX-License-Identifier: MIT
# Probes are named by the module of the kind of program, or by none for both; arguments have the types of the calls.
# @@timeout: 60
. ../_lib.sh
dtrace -l -n syscall::read:entry -n syscall:linux:newfstatat: -n syscall:vmlinux:write:entry -n syscall:x64:open:entry \
	-n syscall:x32:creat:entry -n syscall:freebsd:read:entry -n syscall:freebsd32:read:entry -n syscall:genunix:read:entry \
	-n syscall:unix:read:entry -n syscall:kernel:read:entry -n syscall:mach_kernel:read:entry -n 'syscall::*stat64:entry' | awk 'NR > 1 { print $2, $3, $4, $5 }'
dtrace -l -n syscall::nosuch:entry 2>&1 | tail -n +2
echo "--- names of other systems"
for call in open64 newuname newstat pollsys _umtx_op read_nocancel; do
	dtrace -n "syscall::$call:entry" 2>&1 | tail -n 1 | grep -o 'Linux has.*'
done
echo "--- calls of 32-bit programs"
for desc in syscall::waitpid:entry syscall::stat64: syscall::socketcall:entry syscall:linux32:waitpid: syscall::wait4:entry; do
	dtrace -qn "$desc,BEGIN { exit(0); }" 2>&1 >/dev/null
done
echo "--- types"
dtrace -lvn syscall:linux:read: -n syscall:linux:openat: -n syscall:linux:mmap:return -n syscall:linux:getpid: \
	-n syscall:linux:rt_sigaction: -n syscall:linux:futex: -n syscall:linux32:read: -n syscall:linux32:openat: \
	-n syscall:linux32:futex: -n syscall:linux32:mmap: |
	awk '$2 == "syscall" { printf "%s:%s:%s:", $3, $4, $5; types = 0 }
		/args\[/ { sub(/.*args\[[0-9]\]: /, ""); printf " %s,", $0 } /Argument Types/ { types = 1; next }
		/None/ && types { printf " none" } /^$/ && types { print ""; types = 0 }'
echo "--- values"
for program in calls calls-i386; do
	dtrace -q -n '
		syscall::openat:entry /pid == $target && args[0] == -100 && copyinstr(arg1) == "/nonexistent" && args[2] == 0/
			{ @opens = count(); }
		syscall::write:entry /pid == $target && args[0] == -1U && copyinstr(arg1, 3) == "abc" && args[2] == 3/
			{ @writes = count(); }
		syscall::getppid:entry /pid == $target/ { @stacks[probefunc] = count(); stack(); ustack(); }
		END { printa("openat %@d\n", @opens); printa("write %@d\n", @writes); }' -c "$BIN/$program plain" |
		sed 's/^ *//; s/+0x.*//' | grep -E "^openat|^write|vmlinux.do_syscall_64$|vmlinux.do_fast_syscall_32$|$program.main$" | sort | uniq -c | sed 's/^ *//'
done
