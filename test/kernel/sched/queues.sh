# SPDX-License-Identifier: MIT
# Yields, priorities, queues and ticks.
# @@kernels: 6.1 6.12
# @@needs: types
. ../_lib.sh
dtrace -qn 'sched:::surrender /pid == $target/ { @[args[1]->pr_pid == $target] = count(); } END { printa("%d: %@d\n", @); }' -c "lives yields 250" | grep -v '^$'
echo "--- priorities"
dtrace -qn 'sched:::change-pri /pid == $target && args[1]->pr_pid == $target/ { printf("%d\n", args[2]); }' -c "lives priorities" | grep -v '^$'
echo "--- queues"
dtrace -qn 'sched:::enqueue /args[1]->pr_pid == $target/ { in++; bad += args[2]->cpu_id < 0 || args[2]->cpu_id > 1; }
	sched:::dequeue /args[1]->pr_pid == $target/ { out++; bad += args[2]->cpu_id < 0 || args[2]->cpu_id > 1; }
	sched:::enqueue { other += args[2]->cpu_id != cpu; }
	END { printf("%s, %s, %d bad\n", in >= 50 ? "in" : "not in", out >= 50 ? "out" : "not out", bad); }' -c "lives switches 100" | grep -v '^[0-9]*$'
echo "--- ticks"
dtrace -qn 'sched:::tick { seen++; } sched:::tick /args[0]->pr_lwpid != curlwpsinfo->pr_lwpid/ { bad++; } sched:::tick /seen > 20/ { exit(0); }
	END { printf("%d bad\n", bad); }' | grep -v '^$'
echo "--- what Linux cannot tell"
dtrace -n sched:::remain-cpu 2>&1 | tail -n 1
dtrace -n sched:::cpucaps-sleep 2>&1 | tail -n 1
dtrace -l -n sched:genunix::tick | awk 'NR > 1 { print $2, $3, $4 }'
