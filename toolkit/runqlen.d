#!@DTRACE@ -s
/*
 * SPDX-License-Identifier: MIT
 *
 * runqlen.d - show how many threads run or want to run on each processor, as distributions
 *
 * Usage: runqlen.d [-p PID | -c COMMAND] [SECONDS]
 *
 * Each processor is looked at 97 times a second; the thread that runs counts. -p and -c only say
 * how long to trace.
 *
 * Columns:
 *   CPU        the processor
 *   value      how many threads
 *   count      how often there were as many
 *
 * Example:
 *
 *   # runqlen.d -c 'sh -c "seq 300000 >/dev/null & seq 300000 >/dev/null & seq 300000 >/dev/null; wait"'
 *   CPU 0
 *              value  ------------- Distribution ------------- count
 *                < 0 |                                         0
 *                  0 |@                                        10
 *                  1 |@@@@@@@@@@@@@@@@@@@@@                    241
 *                  2 |@@@@@@@@@@@@@@@@@@                       206
 *                  3 |@                                        9
 *                  4 |                                         2
 *                  5 |                                         0
 *
 *   CPU 1
 *              value  ------------- Distribution ------------- count
 *                < 0 |                                         0
 *                  0 |                                         3
 *                  1 |@@@@@@@@@@@@@@@@@@@@                     236
 *                  2 |@@@@@@@@@@@@@@@@@@@                      223
 *                  3 |@                                        9
 *                  4 |                                         0
 */
#pragma D option quiet
#pragma D option defaultargs

profile-97
{
	@length[cpu] = lquantize(curthread->se.cfs_rq->rq->nr_running, 0, 64, 1);
}

END
{
	printa("CPU %d%@d\n", @length);
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
