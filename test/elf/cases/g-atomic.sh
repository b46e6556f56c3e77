# SPDX-License-Identifier: MIT
# All objects are rewritten, or none: a bad one, a folder that cannot be written, a signal.
echo 'provider p { probe a(int); };' >p.d
printf '\t.text\nf:\tcall __dtrace_p___a\n' | as -o good.o
printf '\t.data\n\t.quad __dtrace_p___a\n' | as -o bad.o
cp good.o before.o
link -s p.d -o p.o good.o bad.o
cmp good.o before.o
link -s p.d -o no/such/folder/p.o good.o
cmp good.o before.o
echo "-- no drti"
"$USDT" -G -L /no/such/folder -s p.d -o p.o good.o || echo "status $?"
cmp good.o before.o
echo "-- a pending signal"
for s in INT TERM HUP; do
	python3 - $s "$USDT" -G -L "$LIBDIR" -s p.d -o p.o good.o <<'X'
import os, signal, subprocess, sys
number = getattr(signal, "SIG" + sys.argv[1])
def prepare():
	signal.signal(number, signal.SIG_DFL)
	signal.pthread_sigmask(signal.SIG_BLOCK, [number])
	os.kill(os.getpid(), number)
print(sys.argv[1], subprocess.run(sys.argv[2:], preexec_fn=prepare).returncode)
X
	cmp good.o before.o
done
ls -A | sort
