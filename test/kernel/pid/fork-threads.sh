# SPDX-License-Identifier: MIT
# Children of a process with threads: by fork and vfork, in several threads at the same time, children that are killed. A child
# with its parent's memory may hit a probe before it executes a program: the case checks whose hit that is.
. ../_lib.sh
probes='pid$target:a.out:sum_eight:entry, pid$target:a.out:sum_eight:return, pid$target:libc.so.6:execve:entry
	{ @[probefunc, probename, pid == $target ? "process" : "another"] = count(); }
	END { printa("%s %s %s %@d\n", @); }'
family()
{
	dtrace -q -x aggsortkey -c "victim $*" -n "$probes" 2>&1 | sed /^$/d
}
echo fork and vfork in threads
family thread repeat 5 vfork sum 1 end sum 2 end end thread repeat 5 fork sum 3 end sum 2 end end \
	thread repeat 500 sum 2 end end repeat 5 vfork sum 1 end sum 1 end join
echo killed
family sum 1 fork sum 1 die end vfork die end thread fork die end sum 1 end join sum 1 print unharmed
echo a child that lives longer
family fork fork sum 100 end vfork sum 2 end join end sum 1
