# SPDX-License-Identifier: MIT
# @@worlds: user the module runs on the kernel's stack
# The bytes of a program's stack that docs/worlds.md promises to be enough.

# narrow BYTES ACTION - trace a coroutine with a stack of so many bytes.
narrow()
{
	echo "$1: $2"
	dtrace -c "narrow $1" -qn "narrow\$target:::hit { $2; n++; } END { printf(\"\\n%d hits\n\", n); }" >"$T/out"
	grep -e " hits" -e done "$T/out"
}

narrow 1024 '@ = count()'
narrow 2048 '@[ustack()] = count()'
narrow 2048 '@[jstack()] = count()'
narrow 2048 '@[copyinstr(arg0), execname, ppid, progenyof(1), strjoin(execname, strtok("a b", " "))] = quantize(tid)'
narrow 2048 'printf("%s %d", strjoin(copyinstr(arg0), lltostr(timestamp)), tid)'
narrow 2048 'x[tid, execname] = timestamp; self->text = cleanpath("/a/../b"); @ = quantize(vtimestamp)'
