/* SPDX-License-Identifier: MIT */
struct packet { int size; };

BEGIN
{
	trace(((struct packt *)arg0)->size);
}
