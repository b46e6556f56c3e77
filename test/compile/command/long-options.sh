# SPDX-License-Identifier: MIT
# --help and --version are answered on standard output; other long options are refused by name.
status()
{
	"$@"
	echo "status $?"
}
dtrace --help 2>/dev/null | sed -n '1p; s/^\t-n name .*/-n is there/p'
dtrace --help >/dev/null
status dtrace --version | sed 's/[0-9][0-9.]*\.[0-9.]*/N/'
status dtrace --nonsense -n BEGIN
status dtrace -h --nonsense
status dtrace --list
dtrace -l --version 2>&1 | head -n 1
status dtrace -- BEGIN
