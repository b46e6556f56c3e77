# SPDX-License-Identifier: MIT
# Yields, priorities, queues and ticks.
# @@kernels: 6.1 6.12 debug
# @@needs: types
. ../_lib.sh
dtrace -qn 'sched:::surrender /pid == $target/ { @[args[1]->pr_pid == $target] = count(); } END { printa("%d: %@d\n", @); }' -c "lives yields 250" | grep -v '^$'
echo "--- priorities"
dtrace -qn 'sched:::change-pri /pid == $target && args[1]->pr_pid == $target/ { printf("%d\n", args[2]); }' -c "lives priorities" | grep -v '^$'
dtrace -qn 'sched:::change-pri /args[1]->pr_pid == $target/ { @[args[0]->pr_lwpid == $target ? "owner of the lock" : "thread", args[2]] = count(); }
	END { printa("%s to %d: %@d\n", @); }' -c "lives lends" | grep -v '^$' | sort
echo "--- queues"
dtrace -qn 'sched:::enqueue /args[1]->pr_pid == $target/ { in++; bad += args[2]->cpu_id < 0 || args[2]->cpu_id > 1; }
	sched:::dequeue /args[1]->pr_pid == $target/ { out++; bad += args[2]->cpu_id < 0 || args[2]->cpu_id > 1; }
	sched:::enqueue { other += args[2]->cpu_id != cpu; }
	END { printf("%s, %s, %d bad\n", in >= 50 ? "in" : "not in", out >= 50 ? "out" : "not out", bad); }' -c "lives switches 100" | grep -v '^[0-9]*$'
# a thread that ends leaves its queue with a flag of that number on 6.12
dtrace -qn 'sched:::enqueue, sched:::dequeue /args[0]->pr_lwpid == $target/ { @[probename, args[3]] = count(); }
	END { printa("%s %d\n", @); }' -c "lives priorities" | grep -v '^$' | sort
dtrace -qn 'sched:::dequeue /args[1]->pr_pid == $target/ { self->left = args[0]->pr_lwpid == tid; }
	sched:::sleep /pid == $target/ { sleeps++; early += !self->left; self->left = 0; }
	END { printf("%s, %d before dequeue\n", sleeps >= 50 ? "sleeps" : "no sleeps", early); }' -c "lives switches 100" | grep -v '^[0-9]*$'
echo "--- ticks"
while :; do :; done & # on one of the processors
dtrace -Zqn 'sched:::tick { seen++; idle += !curlwpsinfo->pr_lwpid; bad += args[0]->pr_lwpid != curlwpsinfo->pr_lwpid; }
	fbt::scheduler_tick:entry, fbt::sched_tick:entry { all_idle += !curlwpsinfo->pr_lwpid; }
	profile-97 /seen > 20 && all_idle > 5/ { exit(0); }
	END { printf("%d bad, %d of the idle thread\n", bad, idle); }' | grep -v '^$'
kill $!
echo "--- what Linux cannot tell"
dtrace -n sched:::cpucaps-sleep 2>&1 | tail -n 1
echo "--- modules of other systems"
dtrace -l -n sched:genunix::tick -n io:kernel::start -n tcp:ip::send -n udp:unix::send -n ip:mach_kernel::send -n proc:ip::exit | awk 'NR > 1 { print $2, $3, $4 }'
