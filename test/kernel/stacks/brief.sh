# SPDX-License-Identifier: MIT
# @@worlds: user the module gets unwind tables of a program only when it has missed them
# Stacks of programs and of their children that start while dtrace traces, and end before it reads the stacks: they are whole, and
# have names.
. ./_lib.sh
session brief -n 'frames*:::at { printf("@"); ustack(3); }'
for i in 1 2 3; do
	./frames plain fork fork
done
kill -TERM $SESSION
wait $SESSION
sed /^@tracing/d "$T/brief.out" | functions | sort | uniq -c
cat "$T/brief.err"
