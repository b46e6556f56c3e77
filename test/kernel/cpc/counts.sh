# SPDX-License-Identifier: MIT
# Each fault and each switch of a program fires, as the kernel counts them in its task.
# @@kernels: 6.1 6.12 debug
# @@needs: types
# @@timeout: 60
. ../_lib.sh
dtrace -qn 'BEGIN { base = gone = 0; }
	cpc:::minor_faults-all-1 /pid == $target/ { base = faults++ ? base : curthread->min_flt - 1; }
	cpc:::context_switches-all-1 /pid == $target/ { all = curthread->nvcsw + curthread->nivcsw; gone = switches++ ? gone : all - 1; }
	proc:::exit /pid == $target/ {
		printf("faults %s\n", faults > 20 && curthread->min_flt - base == faults ? "equal" : "differ");
		printf("switches %s\n", switches > 9 && all - gone == switches ? "equal" : "differ");
	}' -c 'sh -c "for i in 0 1 2 3 4 5 6 7 8 9; do cat /proc/self/stat >/dev/null; done"'
echo "--- in a part of a program"
# counted EVENT ARG... - compare an event of the program counted with the program's own number.
counted()
{
	event=$1
	shift
	dtrace -qn 'syscall::getppid:return /pid == $target/ { on = ++calls == 1; } syscall::getppid:entry /pid == $target/ { on = 0; }
		cpc:::'"$event"'-all-1 /on && pid == $target/ { @ = count(); } END { printa("probe %@d\n", @); }' -c "counted $*" |
		awk -v event="$event" '$1 == "probe" { n = $2 } NF == 1 { own = $1 } END { print event, (n == own && own > 9 ? "equal" : n " but " own) }'
}
counted page_faults faults 200
counted minor_faults faults 200
counted cpu_migrations migrations 20
