#!@DTRACE@ -s
/*
 * SPDX-License-Identifier: MIT
 *
 * groupio.d - count the transfers of disks and their bytes by control group
 *
 * Usage: groupio.d [-p PID | -c COMMAND] [SECONDS]
 *
 * A container has a control group of its own. Data that is written back later counts for the group
 * that has written it, if the kernel knows. -p and -c only say how long to trace.
 *
 * Columns:
 *   GROUP      the name of the control group, empty for the root
 *   DISK       the disk, or its part
 *   WAY        read or write
 *   COUNT      how many transfers
 *   BYTES      how many bytes
 *
 * Example:
 *
 *   # groupio.d 3
 *   GROUP                            DISK         WAY       COUNT          BYTES
 *   shop                             loop0        write        31        3293184
 */
#pragma D option quiet
#pragma D option defaultargs

io:::done
/args[1]->dev_name != "nfs" && ((struct bio *)arg0)->bi_blkg/
{
	this->group = stringof(((struct bio *)arg0)->bi_blkg->blkcg->css.cgroup->kn->name);
	this->way = args[0]->b_flags & B_READ ? "read" : "write";
	@count[this->group, args[1]->dev_statname, this->way] = count();
	@bytes[this->group, args[1]->dev_statname, this->way] = sum(args[0]->b_bcount);
}

END
{
	printf("%-32s %-12s %-6s %8s %14s\n", "GROUP", "DISK", "WAY", "COUNT", "BYTES");
	printa("%-32s %-12s %-6s %@8d %@14d\n", @count, @bytes);
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
