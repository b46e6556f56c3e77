# SPDX-License-Identifier: MIT
# All threads of a process are traced, and each has thread-local variables of its own.
dtrace -q -c 'victim fire 1 thread fire 100 end thread fire 100 end thread fire 100 end join' -n '
victim$target:::tick { self->n++; @[tid] = count(); @last = max(self->n); }
END { printa("thread %@d\n", @); printa("most %@d\n", @last); }' | sort
