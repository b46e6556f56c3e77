# SPDX-License-Identifier: MIT
# Each probe has the count of the kernel itself for a program, or of the program.
# @@long: yes
# @@kernels: 6.1 6.12 debug
# @@needs: types
# @@timeout: 120
. ../_lib.sh
cd "$T"

# counted PROBES FORMAT ARG... - run the program counted, and sum the increments between its calls of getppid; $T/out gets
# the program's lines, and the sums by FORMAT.
counted()
{
	probes=$1 end=$2
	shift 2
	dtrace -qn "syscall::getppid:return /execname == \"counted\"/ { self->on = ++self->calls == 1; }
	syscall::getppid:entry { self->on = 0; }
	$probes /self->on/ { @n[probename] = sum(arg0); }
	END { printa(\"$end\", @n); }" -c "counted $*" | grep -v '^$' >"$T/out"
}

# same PROBE NAME - print whether the probe's sum is the program's number after NAME, or alone in a line.
same()
{
	ours=$(sed -n "s/^probe $1 //p" "$T/out")
	theirs=$(sed -n "s/^${2:+$2 }\([0-9]*\)\$/\1/p" "$T/out" | head -n 1)
	if [ "${ours:-0}" = "$theirs" ] && [ "$theirs" -gt "${3:-0}" ]; then
		echo "$1: as the kernel counts"
	else
		echo "$1: ${ours:-0} but $theirs"
	fi
}

counted 'sysinfo:::sysread, sysinfo:::readch, sysinfo:::syswrite, sysinfo:::writech' 'probe %s %@d\n' "io $T/file"
same sysread syscr 5
same readch rchar 400
same syswrite syscw 4
same writech wchar 600
echo "--- faults"
counted 'sysinfo:::trap' 'probe %s %@d\n' "faults 200"
same trap "" 199
echo "--- switches"
counted 'sysinfo:::pswitch, sysinfo:::inv_swtch' 'probe %s %@d\n' "switches 100"
same pswitch all 49
same inv_swtch involuntary -1
echo "--- calls"
for what in "forks 7" execs "names 9" "messages 6"; do
	counted 'sysinfo:::sysfork, sysinfo:::sysvfork, sysinfo:::nthreads, sysinfo:::procovf, sysinfo:::namei, sysinfo:::msg, sysinfo:::sema' \
		'%s %@d\n' "$what"
	grep -v 'namei' "$T/out"
done
counted 'sysinfo:::namei' '%s %@d\n' "names 9"
cat "$T/out"
dtrace -qn 'sysinfo:::sysexec /pid == $target/ { @ = sum(arg0); } END { printa("sysexec %@d\n", @); }' -c "counted execs" | grep -v '^$'
echo "--- migrations"
dtrace -qn 'syscall::getppid:return /pid == $target/ { on = ++calls == 1; } syscall::getppid:entry /pid == $target/ { on = 0; }
	sysinfo:::cpumigrate /on && args[1]->pr_pid == $target/ { @ = sum(arg0); } END { printa("probe cpumigrate %@d\n", @); }' \
	-c "counted migrations 20" | grep -v '^$' >"$T/out"
same cpumigrate "" 39
echo "--- cross calls and modules"
crosses()
{
	dtrace -qn 'sysinfo:::modload, sysinfo:::modunload /pid == $target/ { @[probename] = sum(arg0); }
	syscall::write:entry /pid == $target/ { self->on = 1; } syscall::write:return { self->on = 0; }
	sysinfo:::xcalls /self->on/ { @[probename] = sum(arg0); }
	END { printa("%s %@d\n", @); }' -c "$1" | grep -v '^$'
}
crosses "insmod /test/modules/crosses.ko" | grep mod
for what in one own many; do
	crosses "sh -c 'echo 50 >/sys/module/crosses/parameters/$what'" >"$T/out"
	# interrupts, too, cause some cross calls during the write
	awk -v what=$what '{ n = $2 } END { print what, (n >= 50 && n < 75 ? "50" : n < 25 ? "none" : n + 0) }' "$T/out"
done
crosses "rmmod crosses" | grep mod
