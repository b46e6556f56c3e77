# SPDX-License-Identifier: MIT
# @@worlds: kernel pid probes of all processes
# Thread-local variables are of one thread: no later thread has its values, even with the same memory. Interrupts
# have those of the thread that they interrupt.
# @@timeout: 60
. ../_lib.sh
trace -n "
self int x;
pid*:$BIN/victim:sum_eight:entry { hits++; stale += self->x != 0; self->x = pid; }
END { printf(\"%d hits, %d with another's value\n\", hits, stale); }"
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	victim sum 1
done
untrace

victim forever &
V=$!
victim forever &
W=$!
dtrace -q -Z -n '
victim*:::tick /pid == $1/ { self->traced = 1; }
profile-997 /self->traced && pid == $1/ { seen++; }
profile-997 /self->traced && pid != $1/ { wrong++; }
profile-997 /pid == $2/ { others++; }
profile-997 /seen >= 5 && others >= 5/ { printf("marked threads are seen, %d others\n", wrong); exit(0); }' $V $W | sed '/^$/d'
kill -KILL $V $W
wait
