# SPDX-License-Identifier: MIT
# @@worlds: kernel profile-N, and the user world runs no helpers of ustack()
# A program that runs is sampled; a deep stack.
. ./_lib.sh
./script load ./libscript.so forever &
dtrace -qn "profile-499 /pid == $!/ { @[jstack(20, 512)] = count(); } tick-1s { exit(0); }" |
	awk '$1 == "leaf" { leaf++ } $1 == "main" { main++ } END { print (leaf && main ? "named" : "not named") }'
kill -9 $!
stack 'jstack(100, 4096)' ./script load ./libscript.so deep 60 | awk '/f[0-9]/ { n++ } END { print n, "of 60" }'
