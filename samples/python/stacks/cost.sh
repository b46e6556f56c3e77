# SPDX-License-Identifier: MIT
# cost.sh - the cost of dtrace_stacks.so in a program that is not traced: the least processor time of several runs.

cat >calls.py <<'END'
def fib(n):
	return n if n < 2 else fib(n - 1) + fib(n - 2)
fib(27)
END
cat >imports.py <<'END'
import argparse, asyncio, decimal, email.message, http.client, json, logging, unittest, urllib.request, xml.dom.minidom
END

# best PRELOAD ARG... - milliseconds of a processor that python3 takes.
best()
{
	preload=$1
	shift
	python3 -S - "$preload" "$@" <<'END'
import os, resource, subprocess, sys
def used():
	usage = resource.getrusage(resource.RUSAGE_CHILDREN)
	return usage.ru_utime + usage.ru_stime
def once():
	began = used()
	subprocess.run(["python3", *sys.argv[2:]], env=dict(os.environ, LD_PRELOAD=sys.argv[1]), check=True)
	return used() - began
print(f"{min(once() for _ in range(21)) * 1000:8.1f} ms", end="")
END
}

printf '%-12s %11s %11s\n' '' alone preloaded
for program in "-c pass" calls.py imports.py; do
	printf '%-12s' "$program"
	# shellcheck disable=SC2086
	best "" $program
	# shellcheck disable=SC2086
	best "$PWD/dtrace_stacks.so" $program
	echo
done
