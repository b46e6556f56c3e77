# SPDX-License-Identifier: MIT
# Each lock of a module is taken, waited for and released as often as the module does that.
# @@kernels: 6.1 6.12 debug
# @@timeout: 90
. ../_lib.sh
insmod /test/modules/locked.ko
parameters=/sys/module/locked/parameters
mutex=$(cat $parameters/mutex) spin=$(cat $parameters/spin) rwsem=$(cat $parameters/rwsem) rwlock=$(cat $parameters/rwlock)

# refused_or PROBE LINE COMMAND... - run a command; on a kernel with lockdep, which has the wait for a mutex inline, print LINE
# if the probe does not exist, for that reason.
refused_or()
{
	probe=$1 line=$2
	shift 2
	if grep -q ' __mutex_lock_slowpath$' /proc/kallsyms; then
		"$@"
	elif dtrace -n "$probe" 2>&1 | grep -q 'this kernel has none of the functions'; then
		echo "$line"
	fi
}

# locked WHAT N - print the hits of the module's locks while it does WHAT N times.
locked()
{
	dtrace -qn "lockstat::: /arg0 == ${mutex}ul || arg0 == ${spin}ul/ { @[arg0 == ${mutex}ul ? \"mutex\" : \"spin\", probename, 0] = count(); }
	lockstat:::rw-acquire, lockstat:::rw-release, lockstat:::rw-downgrade /arg0 == ${rwsem}ul || arg0 == ${rwlock}ul/ {
		@[arg0 == ${rwsem}ul ? \"rwsem\" : \"rwlock\", probename, (int)arg1] = count(); }
	lockstat:::rw-block, lockstat:::rw-spin /arg0 == ${rwsem}ul || arg0 == ${rwlock}ul/ {
		@[arg0 == ${rwsem}ul ? \"rwsem\" : \"rwlock\", probename, (int)arg2] = count(); }
	END { printa(\"%s %s (%d) %@d\n\", @); }" \
		-c "sh -c 'exec 2>&1; echo $2 >$parameters/$1'" | grep -v '^$' | sort
}
locked take 20
echo "--- waited for"
# The process may wait for another lock, such as that of its memory, at which sysinfo fires too.
dtrace -Zqn "lockstat:::adaptive-block /arg0 == ${mutex}ul/ { @[\"adaptive-block\"] = count(); } lockstat:::adaptive-spin /arg0 == ${mutex}ul/ { @[\"adaptive-spin\"] = count(); }
	lockstat:::spin-spin /arg0 == ${spin}ul/ { @[\"spin-spin\"] = count(); }
	lockstat:::rw-block /arg0 == ${rwsem}ul/ { @[arg2 ? \"rw-block of a reader\" : \"rw-block of a writer\"] = count(); }
	lockstat:::rw-spin /arg0 == ${rwlock}ul/ { @[\"rw-spin\"] = count(); }
	lockstat:::*-block, lockstat:::spin-spin, lockstat:::rw-spin { times++; } lockstat:::*-block, lockstat:::spin-spin, lockstat:::rw-spin /arg1 == 0 || arg1 > 60000000000ul/ { bad++; }
	sysinfo:::mutex_adenters, sysinfo:::rw_rdfails, sysinfo:::rw_wrfails /pid == \$target/ { @sums[probename] = sum(arg0); }
	fbt::rwsem_down_read_slowpath:entry, fbt::queued_read_lock_slowpath:entry /pid == \$target && arg0 != ${rwsem}ul && arg0 != ${rwlock}ul/ {
		@sums[\"rw_rdfails\"] = sum(-1); }
	fbt::rwsem_down_write_slowpath:entry, fbt::queued_write_lock_slowpath:entry /pid == \$target && arg0 != ${rwsem}ul && arg0 != ${rwlock}ul/ {
		@sums[\"rw_wrfails\"] = sum(-1); }
	END { printa(\"%s %@d\n\", @); printa(\"%s %@d\n\", @sums); printf(\"%s, %d of them wrong\n\", times ? \"times\" : \"no times\", bad); }" \
	-c "taskset 1 sh -c 'echo 10 >$parameters/contend'" >"$T/out"
grep -v '^$\|^mutex_adenters' "$T/out" | sort
refused_or sysinfo:::mutex_adenters "mutex_adenters 10" grep '^mutex_adenters' "$T/out"
echo "--- spun for, and given up"
# A thread that has spun for its time slice sleeps: a wait fires either adaptive-spin or adaptive-block.
spins()
{
	dtrace -qn "lockstat:::adaptive-spin, lockstat:::adaptive-block /arg0 == ${mutex}ul/ { waits++; spins += probename == \"adaptive-spin\"; }
		END { printf(\"%d waits, %s\n\", waits, spins ? \"some have spun\" : \"none has spun\"); }" -c "taskset 1 sh -c 'echo 50 >$parameters/spins'" | grep -v '^$'
}
refused_or lockstat:::adaptive-spin "50 waits, some have spun" spins
dtrace -qn "lockstat:::adaptive-acquire-error, lockstat:::adaptive-block /arg0 == ${mutex}ul/ { @[probename, probename == \"adaptive-acquire-error\" ? arg1 : 0] = count(); }
	lockstat:::adaptive-acquire /arg0 == ${mutex}ul && pid == \$target/ { acquired++; }
	END { printa(\"%s (%d) %@d\n\", @); printf(\"acquired by the waiter: %d\n\", acquired); }" -c "taskset 1 sh -c 'echo 10 >$parameters/interrupt'" | grep -v '^$'
echo "--- none"
dtrace -n lockstat:::rw-upgrade 2>&1 | tail -n 1
dtrace -n lockstat:::thread-spin 2>&1 | tail -n 1
rmmod locked
sed -n 's/.* hooked  */left: /p' /proc/dtrace/triggers
