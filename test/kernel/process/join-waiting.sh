# SPDX-License-Identifier: MIT
# @@worlds: user the module stops no thread by ptrace
# @@long: ci
# @@timeout: 120
# A process that waits in a system call is joined and left. The call goes on waiting, or returns the error that it has
# after SIGSTOP and SIGCONT: the second and the third column.
. ../_lib.sh
pipes up go

# waiting - whether the process waits in its call, or in restart_syscall(), by which the kernel goes on with it.
waiting()
{
	read -r number rest <"/proc/$V/syscall"
	[ "$number" = "$CALL" ] || [ "$number" = 219 ]
}

stopped() { grep -q '^State:.T' "/proc/$V/status"; }
going() { ! stopped; }

join() { dtrace -qp "$V" -n 'waits$target:::done { trace(1); } BEGIN { exit(0); }'; }

stop()
{
	kill -STOP "$V"
	await stopped
	kill -CONT "$V"
	await going
}

for call in read accept poll select nanosleep clock_nanosleep futex wait4 flock msgrcv recvfrom epoll_wait rt_sigtimedwait semtimedop; do
	for how in join stop; do
		waits $call "$T/up" "$T/go" >"$T/$how" &
		P=$!
		read -r V CALL <"$T/up"
		await waiting
		$how >"$T/said" 2>&1 || cat "$T/said"
		[ $call != futex ] || await waiting # again: then the futex changes
		release
		wait $P
	done
	echo "$call: $(cat "$T/join") $(cat "$T/stop")"
done
