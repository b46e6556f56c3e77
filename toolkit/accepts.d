#!@DTRACE@ -s
/*
 * SPDX-License-Identifier: MIT
 *
 * accepts.d - show how long TCP connections wait for accept(2), as distributions
 *
 * Usage: accepts.d [-p PID | -c COMMAND] [SECONDS]
 *
 * The time begins when the connection is established, and ends when a process takes it from the
 * queue of the socket that listens. A server without a free thread lets connections wait.
 *
 * Columns:
 *   NAME       the name of the process, and the port
 *   value      nanoseconds
 *   count      how many connections waited as long
 *
 * Example:
 *
 *   # accepts.d -c 'talks tcp4 2 10'
 *   talks, port 7003, ns
 *              value  ------------- Distribution ------------- count
 *             262144 |                                         0
 *             524288 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@ 1
 *            1048576 |                                         0
 */
#pragma D option quiet
#pragma D option defaultargs

tcp:::accept-established
{
	established[args[1]->cs_cid] = timestamp;
}

fbt::inet_csk_accept:return
/arg1 && established[arg1]/
{
	this->counts = !$target || progenyof($target);
	this->time = timestamp - established[arg1];
	established[arg1] = 0;
}

fbt::inet_csk_accept:return
/arg1 && this->counts/
{
	@time[execname, ((struct sock *)arg1)->__sk_common.skc_num] = quantize(this->time);
}

/* A connection that ends without having been taken. */
tcp:::state-change
/args[3]->tcps_state == TCP_STATE_CLOSED && established[args[1]->cs_cid]/
{
	established[args[1]->cs_cid] = 0;
}

END
{
	printa("%s, port %d, ns%@d\n", @time);
}

tick-1s
{
	elapsed++;
}

tick-1s
/elapsed == $1/
{
	exit(0);
}
