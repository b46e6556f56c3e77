# SPDX-License-Identifier: MIT
# _members.awk - from D libraries, print a line "OUT|IN|MEMBER" for each member of a translator.
/^translator / {
	out = $2
	input = $0
	sub(/^[^<]*< */, "", input)
	sub(/ *>.*/, "", input)
	name = input
	sub(/.*[ *]/, "", name)
	sub(/[A-Za-z_0-9]*$/, "", input)
	next
}
/^}/ { out = "" }
out != "" && /^\t[a-z_0-9]+ = / { print out "|" input "|" $1 }
