# SPDX-License-Identifier: MIT
# @@worlds: kernel pid probes of all processes
# Interrupts come between probes at one instruction: those of a process, and those of every process. The first of
# them holds its CPU, so that a timer waits, which fires before the second. Of forty hits one shows it.
. ../_lib.sh

# clauses FUNCTION - of the two probes at a function's first instruction, and of the timer.
clauses()
{
	cat <<-END
		$1:entry { on = cpu; between = 1; chill(5000000); }
		$1:0 { between = 0; hits++; }
		profile:::profile-1999 /between && cpu == on/ { seen = 1; }
		END { printf("fired %d times%s\n", hits, seen ? ", interrupted" : ""); }
	END
}

start victim sum 40
trace -w -n "$(clauses "pid$V:victim:sum_eight")"
finish
untrace

trace -w -n "$(clauses "pid*:$BIN/victim:sum_eight")"
victim sum 40
untrace
