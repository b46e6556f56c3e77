/* SPDX-License-Identifier: MIT */
BEGIN
{
	x = curthread->t_x;
}
