/* args: -w -Z */
/* A long script of the usual kind: probes of many providers, and what is done in them. */
#pragma D option quiet
#pragma D option defaultargs
#pragma D option switchrate=10hz
#pragma D option dynvarsize=16m
self int in;
dtrace:::BEGIN
{
	printf("Tracing... Hit Ctrl-C to end.\n");
	depth = 0; TIMEOUT = $1 ? $1 : 10; name = $$2;
	start = timestamp; counts = TIMEOUT;
	printf("%-20s %6s %6s %-16s %s\n", "TIME", "UID", "PID", "COMM", "FILE");
}
syscall::open:entry, syscall::open64:entry, syscall::openat*:entry
/($$2 == "" || execname == $$2) && !(self->in)/
{
	self->pathp = arg0; self->ok = 1; self->in = 1; self->ts = timestamp; self->vts = vtimestamp;
	this->len = strlen(copyinstr(arg0));
}
syscall::open:return
/self->ok && (arg0 == -1 || errno != 0)/
{
	this->path = copyinstr(self->pathp);
	this->elapsed = (timestamp - self->ts) / 1000;
	printf("%-20Y %6d %6d %-16.16s %s%s\n", walltimestamp, uid, pid, execname, this->path, errno ? " ERR" : "");
	@Times["all", this->path, probefunc] = quantize(this->elapsed > 0 ? this->elapsed : -this->elapsed);
	@avg[execname] = avg(timestamp - self->ts); @num = count(); @hist[pid, execname, ustack(5)] = lquantize(arg1 / 1024, 0, 128, 4);
	self->pathp = 0; self->ok = 0; self->ts = 0; self->in = 0;
}
php*:::function-entry { self->depth[tid]++; printf("%*s %s() %s:%d\n", self->depth[tid] * 2, "->", copyinstr(arg0), basename(copyinstr(arg1)), arg2); }
php*:::function-return /self->depth[tid]/ { self->depth[tid] -= self->depth[tid] > 0 ? 1 : 0; }
profile:::profile-997hz /arg1/ { @[ufunc(arg1)] = count(); @k[stack(), execname] = count(); @s[sym(arg0), umod(arg1)] = sum(1); }
tick-1sec
/--counts == 0 || timestamp - start > (uint64_t)TIMEOUT * 1000000000/
{
	normalize(@avg, 1000); trunc(@Times, 20); printa("%10s %@d\n", @avg); printa("\n%s %s %s %@d", @Times); clear(@num); printa(@num);
	printf("%d.%03d %x %o %c %5.2s|%-8s|%08x %p %a %A %k", 1, 2, 0xff, 8, 'x', "abc", "left", pid, arg0, arg0, arg0, ustack());
	exit(0);
}
proc:::exec-success, proc::: { trace(execname); trace(pid); trace((string)probename); tracemem(curthread, 64); }
pid4194301:libc:malloc:entry { @sizes[ustack()] = quantize(arg0); this->b = (char *)copyin(arg1, 16); trace(this->b[0] == 'a' && this->b[1] != '\0'); }
io:::start { @b[args[0], args[1]] = sum(args[2]); }
postgresql*:::query-start { self->query = copyinstr(arg0); self->pid = pid; }
postgresql*:::query-done / self->query != NULL && self->pid == pid / { @dist[self->query] = quantize(timestamp / 1000000); self->query = 0; }
fbt::tcp_*:entry, ip:::send /stackdepth > 3 && ipl < 2 && (id & 0x1 || epid ^ 3)/ { spec = speculation(); }
BEGIN { this->ip = (uint32_t *)alloca(4); *this->ip = 0x0100007f; printf("%s\n", inet_ntoa(this->ip)); x[1,"a"] = (int64_t)1 << 40; y = sizeof (uint64_t) > 4; }
END, ERROR { printf("%d\n", (long)-1 < 0u ? 1 : 0); system("echo %s", "bye"); freopen("/tmp/%s", "x"); }
