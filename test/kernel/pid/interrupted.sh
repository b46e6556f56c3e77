# SPDX-License-Identifier: MIT
# @@worlds: kernel pid probes of all processes
# Interrupts arrive between probes at one instruction: those of a process, and those of every process. The first
# probe keeps its CPU busy, so that a timer is due and fires before the second one, in one of forty hits.
. ../_lib.sh

# clauses FUNCTION - print the clauses of two probes at a function's first instruction, and of the timer.
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
