# SPDX-License-Identifier: MIT
# @@worlds: kernel pid probes of all processes
# @@long: yes
# @@kernels: 6.1 6.12
# @@timeout: 60
# pid*: the processes that have mapped the file end while dtrace reads it; dtrace finds it nevertheless.
. ../_lib.sh
while :; do traced >/dev/null; done &
LOOP=$!
for i in $(seq 20); do
	dtrace -ln "pid*:$BIN/traced:do_tail:entry" 2>&1 | grep -o 'do_tail entry\|dtrace: .*'
done | sort | uniq -c | sed 's/^ *//'
kill $LOOP
