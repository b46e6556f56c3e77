# SPDX-License-Identifier: MIT
# man.awk - make the manual page of a script of the toolkit from the comment at its head, which has this form:
#
#	 * NAME.d - PURPOSE
#	 *
#	 * Usage: NAME.d ARGUMENTS
#	 *
#	 * paragraphs
#	 *
#	 * Columns:
#	 *   COLUMN  what it tells
#	 *
#	 * Example:
#	 *
#	 *   # command
#	 *   output

# Return text that mdoc takes as it is.
function plain(text)
{
	gsub(/\\/, "\\e", text)
	if (text ~ /^[.']/)
		text = "\\&" text
	return text
}

# End the page with an error: the comment has not the form.
function wrong(what)
{
	printf("%s: the comment at its head has no %s\n", FILENAME, what) >"/dev/stderr"
	failed = 1
	exit 1
}

# Print the synopsis: brackets become optional arguments, words in capitals are names.
function synopsis()
{
	print ".Sh SYNOPSIS\n.Nm"
	if (index(usage, "FUNCTION"))
		print ".Ar function"
	if (index(usage, "MICROSECONDS"))
		print ".Ar microseconds"
	print ".Op Fl p Ar pid | Fl c Ar command\n.Op Ar seconds"
}

/^ \*\/$/ { exit }
/^ \* [a-z0-9-]+\.d - / && !name {
	name = $2
	purpose = substr($0, index($0, " - ") + 3)
	next
}
!name { next }
/^ \* Usage: / { usage = substr($0, 11); next }
/^ \* Columns:$/ { part = "columns"; next }
/^ \* Example:$/ { part = "example"; next }
{ text = substr($0, 4) }
part == "columns" && text != "" {
	tag = $2
	sub(/^ *[^ ]+ +/, "", text)
	columns = columns ".It Li " tag "\n" plain(text) "\n"
}
part == "example" && (text != "" || example) { example = example plain(substr(text, 3)) "\n" }
part == "" { if (text != "") about = about plain(text) "\n" }

END {
	if (failed)
		exit 1
	if (!name)
		wrong("name and purpose")
	if (!usage)
		wrong("usage")
	if (!columns)
		wrong("columns")
	sub(/\n+$/, "\n", example)
	print ".\\\" SPDX-License-Identifier: MIT"
	sentences = about
	gsub(/\n/, " ", sentences)
	gsub(/[.] /, ".\n", about)
	print ".Dd November 24, 2026"
	print ".Dt " toupper(name) " 1\n.Os\n.Sh NAME\n.Nm " name "\n.Nd " purpose
	synopsis()
	printf("%s", ".Sh DESCRIPTION\n.Nm\nis a script of the toolkit of\n.Xr dtrace 1 .\n" about)
	print ".Pp\nIt ends after"
	print ".Ar seconds ,\nwhen"
	print ".Ar command\nor the process\n.Ar pid\nends, or at an interrupt."
	if (sentences !~ /only say how long to trace/)
		print "Processes that the named one has made are shown with it; without one, all are."
	print ".Pp\nIts output has these columns:"
	print ".Bl -tag -width ARGUMENTS"
	printf("%s", columns)
	print ".El"
	if (example)
		printf(".Sh EXAMPLES\n.Bd -literal\n%s.Ed\n", example)
	print ".Sh SEE ALSO\n.Xr dtrace 1 ,\n.Xr d 7"
}
