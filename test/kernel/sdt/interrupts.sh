# SPDX-License-Identifier: MIT
# Interrupts of each kind are as many as in /proc/interrupts; timers and queued work are those that a module starts.
# types.sh has the checks that need the types of their arguments.
# @@kernels: 6.1 6.12 debug
# @@timeout: 90
. ../_lib.sh
export T
insmod /test/modules/deferred.ko
module=/sys/module/deferred/parameters

# The probe's count is at least the one between two readings within the session, and at most that of two around it.
cat >"$T/workload" <<'EOD'
cat /proc/interrupts >"$T/first"
echo 300 >$module/interrupts
for i in 1 2 3 4 5 6 7 8 9 10; do usleep 20000; done
echo "to the terminal" >/dev/ttyS0
cat /proc/interrupts >"$T/last"
EOD
export module
cat /proc/interrupts >"$T/before"
dtrace -qn 'sdt:::interrupt-start, sdt:::interrupt-complete { @[probename, arg0 ? "irq" : "own", args[1]] = count(); }
	END { printa("%s %s %d %@d\n", @); }' -c "sh $T/workload" >"$T/out"
cat /proc/interrupts >"$T/after"
awk 'function add(kind,  i, n) { n = 0; for (i = 2; i <= 1 + cpus; i++) n += $i; at[kind, FILENAME] = n }
	FILENAME ~ /out$/ && NF { # the vectors of x86, whatever the kernel
		kind = $2 == "irq" ? $3 : $3 == 236 ? "LOC" : $3 == 253 ? "RES" : $3 == 252 || $3 == 251 ? "CAL" : $3 == 246 ? "IWI" : "vector " $3
		told[$1, kind] += $4
		kinds[kind]; next
	}
	FILENAME ~ /out$/ { next }
	$1 ~ /^CPU/ { cpus = NF; next }
	{ sub(":", "", $1); add($1); kinds[$1] }
	END {
		T = ENVIRON["T"]
		for (kind in kinds) {
			if (kind !~ /^[0-9]+$/ && kind !~ /^(LOC|RES|CAL|IWI|SPU|TRM|THR|DFR)$/) {
				if (kind ~ /vector/) print kind, "is none that we know"
				continue
			}
			least = at[kind, T "/last"] - at[kind, T "/first"]
			most = at[kind, T "/after"] - at[kind, T "/before"]
			n = told["interrupt-start", kind] + 0
			end = told["interrupt-complete", kind] + 0
			if (n < least || n > most || end < least || end > most)
				print kind, "begins", n, "ends", end, "counted", least, "to", most
			if (kind == "LOC" && n < 20 || kind == "IWI" && n < 300 || kind == "4" && !n)
				print kind, "only", n
		}
		print "counted"
	}' "$T/out" "$T/before" "$T/first" "$T/last" "$T/after"

# traced CLAUSES COMMAND - run dtrace with the command, and show the rows sorted.
traced()
{
	dtrace -qn "$1 END { printa(\"%s %@d\\n\", @); }" -c "sh -c '$2'" | grep -v '^$' | sort
}
echo "-- timers"
traced 'sdt:::callout-start, sdt:::callout-end /arg0 == (uintptr_t)&deferred`deferred_timer/ { @[probename] = count(); }' \
	"echo 20 >$module/timers"
traced 'sdt:::cyclic-start, sdt:::cyclic-end /arg0 == (uintptr_t)&deferred`deferred_hrtimer/ { @[probename] = count(); }' \
	"echo 30 >$module/hrtimers"
echo "-- work"
traced 'sdt:::taskq-enqueue, sdt:::taskq-exec-start, sdt:::taskq-exec-end /arg0 == (uintptr_t)&deferred`deferred_work/ {
	@[strjoin(probename, execname == "sh" ? " by sh" : " by another")] = count(); }' "echo 40 >$module/works"
rmmod deferred
