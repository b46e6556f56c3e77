# SPDX-License-Identifier: MIT
# Threads of several processes count in elements of one array at the same time, each in its own:
# nothing is lost.
. ../_lib.sh
trace -n '
victim*:::tick { n[pid, tid]++; names[pid, tid] = execname; }
victim*:::tick /arg0 == 3000/
{
	@threads = count();
	@least = min(n[pid, tid]);
	@most = max(n[pid, tid]);
	@names[names[pid, tid]] = count();
	n[pid, tid] = 0;
	names[pid, tid] = 0;
}
victim*:::tick /n[pid, tid] == 0/ { @ended = count(); }
END
{
	printa("%@d threads\n", @threads);
	printa("least %@d\n", @least);
	printa("most %@d\n", @most);
	printa("%s %@d\n", @names);
	printa("%@d elements are gone\n", @ended);
}'
for process in 1 2 3 4; do
	victim thread fire 3000 end thread fire 3000 end fork fire 3000 end join &
	processes="$processes $!"
done
wait $processes
untrace
