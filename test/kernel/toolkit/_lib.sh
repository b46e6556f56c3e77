# SPDX-License-Identifier: MIT
# _lib.sh - run scripts of the toolkit, and check their output.
. ../io/_lib.sh
command=$(readlink -f "$(command -v dtrace)")
TOOLKIT=${command%/*bin/dtrace}/share/dtrace/toolkit

# show SCRIPT ARG... - run a script with its output in a file; print its name, its heading without blanks and its errors.
show()
{
	script=$1
	shift
	"$TOOLKIT/$script.d" "$@" >"$T/out" 2>"$T/err" </dev/null
	echo "--- $script: $(awk '/^ *[A-Z]+ +[A-Z]/ { gsub(/ +/, " "); print; exit }' "$T/out")"
	cat "$T/err"
}

# rows PROGRAM - run awk on the rows of the last script, and sort the result.
rows()
{
	awk "$1" "$T/out" | sort
}

# total PATTERN - sum the counts of the distribution whose heading matches a pattern.
total()
{
	awk -v head="$1" '/^[^ ].*(ns|us|bytes)/ { found = ($0 ~ head) } found && /\|/ { n += $NF } END { print n }' "$T/out"
}
