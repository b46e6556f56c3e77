# SPDX-License-Identifier: MIT
# _fire.awk - from what dtrace -G --fire has printed, a program that prints the same of what it traces.
{
	split($1, name, ":")
	key = name[1] ":" name[4]
	if (key in seen)
		next
	seen[key] = 1
	n = /\(\)$/ ? 0 : NF - 1
	formats = ""
	values = ""
	for (i = 0; i < n; i++) {
		formats = formats (i ? ", " : "") "%d"
		values = values ", (long long)" (i < 10 ? "arg" i : "args[" i "]")
	}
	printf "%s*:::%s\n{\n\tprintf(\"%s:%%s:%%s:%%s (%s)\\n\", probemod, probefunc, probename%s);\n}\n",
		name[1], name[4], name[1], formats, values
}
