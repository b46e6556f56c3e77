/* SPDX-License-Identifier: MIT */
/* @@worlds: kernel stack() is a stack of the kernel */
/* @@args: -q -w */
/* A script that uses every action at once compiles, runs and ends with its status. */
/* @@status: 7 */
#pragma D option nspec=2

int n;

BEGIN
{
	@count = count();
	@keys[pid != 0, "key"] = sum(6);
	@quantity = quantize(3);
	trace("trace ");
	printf("printf %d ", 1);
	tracemem((uintptr_t)memstr("tracemem", 0x2b, 8), 8, 4);
	printm(8, memref("printm", 6));
	print(n);
}
BEGIN { normalize(@keys, 2); printa("printa %d %s %@d\n", @keys); denormalize(@keys); }
BEGIN { clear(@count); printa("count %@d\n", @count); trunc(@quantity); }
BEGIN { setopt("aggsortkey"); }
BEGIN { freopen("/dev/null"); printf("not seen\n"); }
BEGIN { stack(); stack(1); ustack(2); ustack(2, 64); jstack(2, 64); }
BEGIN { sym(caller); mod(caller); func(caller); usym(ucaller); ufunc(ucaller); umod(ucaller); uaddr(ucaller); }
BEGIN { ftruncate(); freopen(""); }
BEGIN { self->spec = speculation(); self->other = speculation(); }
BEGIN { speculate(self->spec); printf("speculated\n"); }
BEGIN { speculate(self->other); printf("discarded\n"); }
BEGIN { commit(self->spec); }
BEGIN { discard(self->other); }
BEGIN { chill(1000); raise(28); breakpoint(); system("echo system %d", 1); }
BEGIN /pid == 0/ { stop(); panic(); copyout(alloca(1), 1, 1); copyoutstr("x", 1, 2); }
BEGIN { exit(7); }
