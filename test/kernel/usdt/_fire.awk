# SPDX-License-Identifier: MIT
# _fire.awk - from the output of dtrace -G --fire, make a D program that prints the same for hits.
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
