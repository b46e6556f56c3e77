# SPDX-License-Identifier: MIT
# @@worlds: kernel limits of users
# A registration that is refused because of a limit of its user leaves no charge. The last 16 reasons of each user are kept.
# @@kernels: 6.1 6.12
# @@timeout: 120
. ../_lib.sh
. ../_policy.sh
policy 'user user dtrace_proc'
limits=/sys/module/dtrace/parameters

# run_as USER - run a program that registers probes; set $P. held - print what the user holds. (A process of the user's stays: so does the row.)
run_as() { become gid "$1" uid "$1" run victim exit 0 & P=$!; wait $P; }
held() { rows users | awk '$1 == 1000 { print $4, $5, $6, $7 }' | sed 's,/[0-9]*,,g'; }
holds() { [ "$(held)" = "$1" ]; }
become gid 1000 uid 1000 run victim forever &
OTHER=$!
await grep -q " victim$OTHER" /proc/dtrace/processes
before=$(held)

# limited LIMIT VALUE COMMAND... - run a command with a value of a limit, and wait until nothing is charged any more.
limited()
{
	file=$limits/$1
	value=$(cat "$file")
	echo "$2" >"$file"
	shift 2
	"$@"
	echo "$value" >"$file"
	await holds "$before"
}
for limit in user_registrations user_sites user_registration_memory; do
	limited $limit 1 run_as 1000
	rows helper_errors | awk -v "pid=$P" '$2 == pid' | grep -o "$limit"
done

# Each part of the memory of many sites in turn is the one that is too much.
many() { user "dtrace -qp $OTHER -n 'BEGIN { exit(0); } pid\$target:libc.so.6::entry { }'" >"$T/many" 2>&1; }
session all -p $OTHER -n 'pid$target:libc.so.6::entry { }'
all=$(rows users | awk '$1 == 0 { split($7, n, "/"); print n[1] }')
kill -TERM $SESSION
wait $SESSION
for part in 1 2 3 4 5 6 7; do
	limited user_registration_memory $((${before##* } + all * part / 8)) many
	grep -o '/user_registration_memory' "$T/many"
done

value=$(cat $limits/user_sites)
echo 1 >$limits/user_sites
run_as 1001
pids=$P
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18; do
	run_as 1000
	pids="$pids $P"
done
echo "$value" >$limits/user_sites
rows helper_errors | awk -v "pids=$pids" '{ seen[$2] = 1 } END { n = split(pids, pid); for (i = 1; i <= n; i++) if (!(pid[i] in seen)) print "not kept:", i - 1 }'
kill -9 $OTHER
