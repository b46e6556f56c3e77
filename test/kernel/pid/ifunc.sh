# SPDX-License-Identifier: MIT
# @@worlds: kernel pid probes of all processes
# @@kernels: 6.1 6.12
# An ifunc is probed at the function that its resolver has chosen: libc's strlen, which all callers reach, and memcpy.
# Each call of memcpy by a program returns once, with its first argument, with lazy and with early
# binding. Also by pid*, and the ifuncs of a static program.
. ../_lib.sh
dtrace -qn 'pid$target:libc:strlen:entry { @e = count(); } pid$target:libc:strlen:return { @r = count(); }
END { printa("%@d entries\n", @e); printa("%@d returns\n", @r); }' -c traced |
	awk '/entries/ { e = $1 } /returns/ { r = $1 } /sum/ { print } END { print (e > 0 && e == r ? "as many returns as entries" : e " " r) }'

for now in '' 1; do
	LD_BIND_NOW=$now dtrace -o "$T/seen$now" -x aggsortkey -qn '
	pid$target:libc:memcpy:entry { self->to = arg0; }
	pid$target:libc:memcpy:entry, pid$target:libc:memcpy:return
	{
		@[probefunc, probename, umod(ucaller), arg1 == self->to] = count();
	}
	END { printa("%s %s %A %d %@d\n", @); }' -c "worker 4 500"
	grep worker "$T/seen$now"	# within libc, mempcpy jumps into memcpy and returns there
done

# the resolver has run in another process, but not in dtrace if that is static
start victim
trace -n 'pid*:libc.so.6:strlen:entry /execname == "traced"/ { printf("%s %s\n", probeprov, probefunc); }'
traced >/dev/null
untrace >"$T/told"
sort -u "$T/told"
finish

dtrace -x aggsortkey -qn '
pid$target:a.out:memcpy:entry { self->to = arg0; }
pid$target:a.out:memcpy:entry, pid$target:a.out:memcpy:return
{
	@[probefunc, probename, arg1 == self->to] = count();
}
END { printa("%s %s %d %@d\n", @); }' -c "worker-static 4 500" | grep -e worker -e "entry 0" -e "return 1"	# as above

# no process has run the resolver: -Z does not help
dtrace -Zn "pid*:$BIN/worker-static:memcpy:entry" 2>&1 | cat
