/* SPDX-License-Identifier: MIT */
/* Bytes are hexadecimal digits. */
BEGIN
{
	this->p = (char *)alloca(8);
	this->p[0] = 1;
	this->p[7] = 'z';
	tracemem(this->p, 8);
	tracemem(this->p, 8, 2);
	printm(8, memref(this->p, 3));
	exit(3);
}
