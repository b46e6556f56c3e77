/* SPDX-License-Identifier: MIT */
/* @@worlds: kernel curthread and getf() are objects of the kernel */
/* @@needs: types */
/* Every action, subroutine and aggregating function in one program; those that would end the test only compile. */
/* @@args: -q -w -x nspec=2 */

/* strings */
BEGIN
{
	printf("%s %s %s\n", basename("/a/b"), dirname("/a/b"), cleanpath("/a/./b/../c"));
	printf("%d %d %d\n", index("abab", "b"), rindex("abab", "b"), strlen("four"));
	printf("%s %s %s\n", strchr("a:b:c", ':'), strrchr("a:b:c", ':'), strstr("abc", "b"));
	printf("%s %s %s\n", strjoin("a", "b"), substr("abcdef", 1, 3), strtok("x y", " "));
	printf("%s %s %s %d\n", tolower("AbC"), toupper("AbC"), lltostr(-7), strtoll("0x10", 16));
	printf("%s\n", json("{\"a\": [1, 2]}", "a[1]"));
}

/* memory */
BEGIN
{
	this->user = (uintptr_t)curthread->mm->arg_start;
	this->mem = (char *)alloca(16);
	copyinto(this->user, 7, this->mem);
	printf("%s %s\n", copyinstr(this->user), stringof(this->mem));
	copyout(copyin(this->user, 1), this->user, 1);
	copyoutstr("dtrace", this->user, 7);
	bcopy(this->mem, this->mem + 8, 7);
	printf("%s\n", memstr(this->mem + 8, '+', 8));
	tracemem(this->mem, 4);
	printm(4, memref(this->mem, 4));
}

/* network, devices, files, locks, processes */
BEGIN
{
	this->net = (uint32_t *)alloca(16);
	*this->net = htonl(0x7f000001);
	printf("%x %x %d\n", htons(0x1234), ntohs(0x1234), ntohl(htonl(5)) == 5 && ntohll(htonll(5)) == 5);
	printf("%s %s\n", inet_ntoa(this->net), inet_ntop(2, this->net));
	printf("%s %s\n", inet_ntoa6((void *)this->net), link_ntop(1, this->net));
	printf("%d %d\n", getmajor(0x800001), getminor(0x800001));
	printf("%s\n", d_path(&((struct file *)getf(0))->f_path));
	this->mutex = &curthread->signal->cred_guard_mutex;
	printf("%d %d\n", mutex_owned(this->mutex), mutex_owner(this->mutex) == NULL);
	printf("%d %d\n", mutex_type_adaptive(this->mutex), mutex_type_spin(this->mutex));
	this->rw = &curthread->mm->mmap_lock;
	printf("%d %d %d\n", rw_read_held(this->rw), rw_write_held(this->rw), rw_iswriter(this->rw));
	printf("%d %d\n", progenyof(pid), rand() != rand() || rand() != rand());
}

/* printing, stacks, addresses */
BEGIN
{
	trace("trace\n");
	print(3);

	sym((uintptr_t)&`schedule);
	trace(" ");
	func((uintptr_t)&`schedule);
	trace(" ");
	mod((uintptr_t)&`schedule);
	trace("\n");
}

BEGIN
/pid == 0/
{
	stack(1);
	ustack(1);
	jstack(1, 64);
	usym(ucaller);
	ufunc(ucaller);
	umod(ucaller);
	uaddr(ucaller);
}

/* aggregations */
BEGIN
{
	@count = count();
	@sum = sum(10);
	@avg = avg(10);
	@min = min(10);
	@max = max(10);
	@stddev = stddev(10);
	@quantize = quantize(10);
	@lquantize = lquantize(10, 0, 20, 10);
	@llquantize = llquantize(10, 10, 0, 1, 10);
	normalize(@sum, 2);
	printa("%@d %@d %@d %@d %@d %@d\n", @count, @sum, @avg, @min, @max, @stddev);
	denormalize(@sum);
	printa("%@d\n", @sum);
	printa(@quantize);
	clear(@lquantize);
	trunc(@llquantize);
	trunc(@lquantize);
}

/* speculation */
BEGIN
{
	self->kept = speculation();
	self->dropped = speculation();
}

BEGIN
{
	speculate(self->kept);
	printf("kept\n");
}

BEGIN
{
	speculate(self->dropped);
	printf("dropped\n");
}

BEGIN
{
	commit(self->kept);
}

BEGIN
{
	discard(self->dropped);
}

/* destructive actions */
BEGIN
/pid == 0/
{
	stop();
	raise(9);
	breakpoint();
	panic();
	freopen("/nowhere");
	ftruncate();
}

BEGIN
{
	chill(1000);
	system("echo system");
	setopt("quiet");
	exit(0);
}
