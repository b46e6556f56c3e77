/* SPDX-License-Identifier: MIT */
struct s { int size, offset; };

BEGIN
{
	trace(offsetof(struct s, ofset));
}
