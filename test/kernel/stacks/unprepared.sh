# SPDX-License-Identifier: MIT
# @@long: ci
# @@worlds: kernel profile-N samples any program
# @@kernels: 6.1 6.12
# @@timeout: 120
# Debian's own perl and python3, as they are: nine in ten stacks are whole, from _start on, and name the interpreter's functions.
. ./_lib.sh
command -v perl >/dev/null && command -v python3 >/dev/null || {
	echo "this machine has no perl or no python3"
	exit 77
}

# judge FUNCTION COMMAND... - print whether the command's stacks are whole, and have the function in them.
judge()
{
	function=$1
	shift
	dtrace -q -x ustackframes=100 -n 'profile-499 /pid == $target/ { printf("@"); ustack(); }' -c "$*" 2>&1 |
		awk -v wanted="$function" '
			/^@/ { stacks++ }
			/`_start\+/ { whole++ }
			index($0, "`" wanted "+") { if (last != stacks) named++; last = stacks }
			END {
				print (stacks > 50 ? "sampled" : "hardly sampled"), (whole * 10 > stacks * 9 ? "whole" : "broken"),
					(named * 2 > stacks ? "named" : "nameless")
			}'
}
cat >"$T/work.pl" <<'E'
for my $round (1 .. 200) { my @sorted = sort { $a <=> $b } map { ($_ * 7919) % 1000 } 1 .. 1000; }
E
cat >"$T/work.py" <<'E'
for turn in range(100):
	sorted([(i * 7919) % 1000 for i in range(1000)], key=lambda x: -x)
E
judge Perl_runops_standard perl "$T/work.pl"
judge _PyEval_EvalFrameDefault python3 -I -S "$T/work.py"
