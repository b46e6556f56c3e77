# SPDX-License-Identifier: MIT
# Global variables and associative arrays are one for the session: processes that run one after the
# other, their children, BEGIN and END see the same values. Thread-local variables begin anew in
# each thread.
. ../_lib.sh
trace -n '
string last;
BEGIN { n = 100; last = "nobody"; by["BEGIN"] = 1; }
victim*:::tick { self->mine++; n += arg0; by[execname]++; keyed[execname, arg0 & 1] += arg0; }
victim*:::tick /!known[pid]/ { known[pid] = ++processes; }
victim*:::tick { of[known[pid]]++; @most = max(self->mine); }
victim*:::pair { printf("%s, then %s\n", last, copyinstr(arg1)); last = copyinstr(arg1); }
END
{
	printa("most in a thread %@d\n", @most);
	printf("n %d, last %s, of BEGIN %d\n", n, last, by["BEGIN"]);
	printf("%d hits, %d odd, %d even\n", by["victim"], keyed["victim", 1], keyed["victim", 0]);
	printf("%d processes: %d %d %d %d\n", processes, of[1], of[2], of[3], of[4]);
	printf("not set: %d %d\n", of[5], keyed["victim", 2]);
}'
victim fire 3 pair 1
victim fire 2 fork fire 4 pair 2 end join pair 1
victim fire 1 thread fire 5 end join
untrace
