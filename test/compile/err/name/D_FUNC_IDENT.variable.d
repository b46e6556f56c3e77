/* SPDX-License-Identifier: MIT */
BEGIN
{
	x = self->f(2);
}
