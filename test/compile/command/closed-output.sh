# SPDX-License-Identifier: MIT
# A standard output that is closed is an error wherever something would be written.
for words in -V --version --help '-x help' -l '-qn BEGIN{trace(1);exit(0);}' '-Sven BEGIN'; do
	dtrace $words >&-
	echo "$words: status $?"
done
