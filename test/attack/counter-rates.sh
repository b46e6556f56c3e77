# SPDX-License-Identifier: MIT
# @@timeout: 60
# Counters of events interrupt each CPU for a user who may trace the kernel. One limit covers their rates and those of
# timers, and another one the time of their clauses. perf lets users count on CPUs only if root permits it.
. ./_lib.sh
paranoid=$(cat /proc/sys/kernel/perf_event_paranoid)
trap 'echo "$paranoid" >/proc/sys/kernel/perf_event_paranoid; rm -rf /etc/dtrace; dtrace-policy' EXIT
echo -1 >/proc/sys/kernel/perf_event_paranoid
policy 'user user dtrace_kernel'
# attack PROBE... - enable the probes; the case compares the limit in the message.
attack()
{
	user "dtrace -qn '$(printf 'cpc:::cpu_clock-all-%s,' "$@")tick-10 { exit(0); }' 2>&1" | sed 's/.*: user/user/; s/,tick-10 .*//'
}
echo "--- within the limit"
attack 100000 200000
echo "--- beyond"
attack 100000 110000 200000
echo "--- many that hardly ever fire"
attack $(seq 1000000000 1000000120) | sed 's/holds [0-9]*/holds MANY/; s/with [0-9]* more/with SOME more/'
echo "--- root"
dtrace -qn "cpc:::cpu_clock-all-100000,cpc:::cpu_clock-all-110000,cpc:::cpu_clock-all-200000,tick-10 { } tick-10 { trace(\"traces\"); exit(0); }"
echo "--- hard work in each"
double='this->s = strjoin(this->s, this->s);'
user "dtrace -q -x strsize=8k -n 'cpc:::cpu_clock-all-100000 { this->s = \"aaaaaaaaaaaaaaaa\"; $double $double $double $double $double $double $double $double $double
	@ = sum(index(this->s, strjoin(this->s, \"b\"))); } tick-1s { exit(0); }' 2>&1" >"$T/worked" || true
grep -o 'pauses*' "$T/worked" | sort -u
