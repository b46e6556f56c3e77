# SPDX-License-Identifier: MIT
# @@kernels: 6.1 6.12
# Stacks of programs without frame pointers, by their unwind tables: all shapes of frames, ways of linking and
# compilers. Frames of libc, which call main or a callback, are removed.
. ./_lib.sh

for program in frames frames-fp frames-clang frames-lld frames-static frames-static-pie; do
	[ -x ./$program ] || continue
	echo "$program"
	frames ./$program plain alloca aligned sort signal altstack untabled deep 3 fork | sed 's/\.[a-z]*\.[0-9]*//g'
done

echo "probes that dtrace finds in what lld has linked"
DTRACE_DOF_INIT_DISABLE=1 ./frames-lld until "$T/seen" plain &
await grep -q ^230 /proc/$!/syscall	# it sleeps
dtrace -q -n 'frames$target:::at { printf("@"); ustack(); exit(0); }' -p $! 2>&1 | functions
touch "$T/seen"
wait
