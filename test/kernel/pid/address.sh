# SPDX-License-Identifier: MIT
# @@kernels: 6.1 6.12
# pidN:module:-:ADDRESS is the instruction at an absolute address, as debuggers and stacks show it. An address within an
# instruction, or in another module, is an error.
. ../_lib.sh
start victim sum 1 tell "$T/up" wait "$T/go" sum 2 tell "$T/up" wait "$T/go"
session where -n "pid$V:victim:sum_eight:entry { printf(\"%x\n\", uregs[R_PC]); exit(0); }"
release
wait $SESSION
read -r V <"$T/up"
at=$(grep -v -e @tracing -e '^$' "$T/where.out")
session there -n "pid$V:victim:-:$at { printf(\"%s %s %s\n\", probefunc, probename == \"$at\" ? \"there\" : probename,
	uregs[R_PC] == 0x$at ? \"exactly\" : \"elsewhere\"); exit(0); }"
release
wait $SESSION
output there
read -r V <"$T/up"
for wrong in "victim:-:$(printf %x $((0x$at + 1)))" "libc.so.6:-:$at" "victim:-:10"; do
	dtrace -qn "pid$V:$wrong" 2>&1 | sed -e "s/pid$V:/pidPID:/g" -e "s/\b$at/AT/" -e 's/\b[0-9a-f]\{12\}/BEHIND/g'
done
finish
