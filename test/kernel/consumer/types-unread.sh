# SPDX-License-Identifier: MIT
# The types of the kernel are some megabytes: a session whose program uses none of them does not read them, even if the D
# library uses them. Here the file of the types is a pipe, which shows whether dtrace opens it.
. ../_lib.sh

mkdir "$T/btf"
pipes btf/vmlinux

# reads PROGRAM: print whether its session opens the file
reads()
{
	(echo >"$T/btf/vmlinux"; echo "it reads the types") >"$T/reads" &
	P=$!
	dtrace -q -xbtfpath="$T/btf" -n "$1" 2>/dev/null
	{ kill $P; wait $P; } 2>/dev/null
	cat "$T/reads"
}
echo "-- a kernel's type"
reads 'BEGIN { trace(sizeof (struct task_struct)); exit(0); }'
echo "-- variables of D, types of D's library"
reads 'BEGIN { trace(pid == ppid); @[execname] = count(); exit(0); }'
reads 'BEGIN { this->b = (bufinfo_t *)NULL; trace(sizeof (tcpsinfo_t) > 0); printf(" %d\n", PR_MODEL_LP64); exit(0); }'
