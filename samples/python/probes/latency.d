/* SPDX-License-Identifier: MIT */
/* latency.d - how long requests of server.py take, by path and status: dtrace -qs latency.d -c ... */

#pragma D option aggsortkey

server$target:::request-start
{
	self->since = timestamp;
}

server$target:::request-done
/self->since/
{
	@[copyinstr(arg0), args[1]] = avg((timestamp - self->since) / 1000);
	@n[copyinstr(arg0), args[1]] = count();
	self->since = 0;
}

END
{
	printf("%-8s %6s %10s %6s\n", "PATH", "STATUS", "AVG (us)", "COUNT");
	printa("%-8s %6d %@10d %@6d\n", @, @n);
}
