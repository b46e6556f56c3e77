# SPDX-License-Identifier: MIT
# The scripts of the toolkit about processes, waits and interrupts report what their workload did.
# @@long: ci
# @@kernels: 6.1 6.12
# @@needs: types
# @@timeout: 120
. ./_lib.sh
show kills -c "lives signals"
rows '$2 == "lives" { print $3, $5, ($1 != $4 ? "another" : "itself") }'
cat >"$T/waits" <<'EOD'
for i in 1 2 3 4 5; do
	sh -c 'until grep -q ^State:.S /proc/$PPID/status; do :; done; exec lives tree 0'
	:
done
EOD
show wakers -c "sh $T/waits"
rows '$1 == "sh" && $2 == "lives" { print $3, ($4 > 0 ? "with time" : $4) }'
show migrations -c "counted migrations 20"
rows '$1 == "counted" { print $3, $4, ($5 >= 20 ? "each" : $5) }'
show runqlen -c "taskset 2 sh -c 'for i in 1 2 3; do (while :; do :; done) & all=\"\$all \$!\"; done; taskset 1 sleep 2; kill \$all'"
rows '/^CPU/ { cpu = $2 } cpu == 1 && /[|]/ && $1 >= 3 { n += $NF } END { print (n >= 20 ? "three run" : n) }'
# device FILE - print how many interrupts of the terminal are in a copy of /proc/interrupts.
device()
{
	awk '$1 ~ /^CPU/ { cpus = NF } /ttyS0/ { for (i = 2; i <= cpus + 1; i++) n += $i } END { print n }' "$1"
}
cat >"$T/writes" <<EOD
cat /proc/interrupts >$T/first
echo "to the terminal" >/dev/ttyS0
cat /proc/interrupts >$T/last
EOD
cat /proc/interrupts >"$T/before"
show interrupts -c "sh $T/writes"
cat /proc/interrupts >"$T/after"
least=$(($(device "$T/last") - $(device "$T/first"))) most=$(($(device "$T/after") - $(device "$T/before")))
rows '$2 == "ttyS0" { print $1, ($3 > 0 && $3 >= '$least' && $3 <= '$most' ? "as counted" : $3 ", counted '$least' to '$most'") }
	$2 == "TIMER" { print $1, $2, ($3 > 0 ? "some" : $3) }'
show modules -c "sh -c 'insmod /test/modules/locked.ko; rmmod locked'"
rows '{ if ($4 == "locked") print $2, $3 }'
