# SPDX-License-Identifier: GPL-2.0-only OR MIT
# sdt_groups.awk - turn the preprocessed headers of tracepoints into the table of sdt.c: names in the
# order of strcmp(), each with its group. `sort` is run in the C locale. Those of modules are left out:
# trace/events/module.h has no group of its own but that of the header by which it is read. A table of
# nothing means that the headers have changed: the build fails.
BEGIN { FS = "[ \t;]+" }
{
	for (i = 1; i + 2 <= NF; i++)
		if ($i == "SDT_GROUP" && $(i + 2) !~ /^module_/ && !($(i + 2) in group)) {
			group[$(i + 2)] = $(i + 1)
			print "\t{\"" $(i + 2) "\", \"" $(i + 1) "\"}," | "LC_ALL=C sort"
		}
}
END {
	for (name in group)
		exit 0
	print "sdt_groups.awk: no tracepoint in the headers" > "/dev/stderr"
	exit 1
}
