/* SPDX-License-Identifier: MIT */
/* Stacks and addresses of which nothing is known. */
BEGIN
{
	@[stack(), ustack(), usym(3)] = count();
	stack();
	ustack();
	sym(3);
	umod(3);
	printa(@);
	exit(0);
}
