/* args: -xbtfpath=TYPES -xnolibs */
/* SPDX-License-Identifier: MIT */
/* Members of kernel structs: nested, arrays, pointers, bit-fields, a flexible array, an unnamed union. */
BEGIN
{
	trace(curthread->comm);
	trace(curthread->tgid);
	trace(curthread->self->self->tasks.next->prev);
	trace(curthread->matrix[1][2]);
	trace(curthread->flags);
	trace(curthread->ok);
	trace(curthread->files->number);
	trace(curthread->files->readable);
	trace(curthread->files->mode);
	trace(curthread->files->wide);
	trace(((struct packed *)arg0)->across);
	trace(((struct tail *)arg0)->data[3]);
	trace(curthread->files->dev->owner->tgid);
	trace((uint64_t)curthread->call);
}
