/* SPDX-License-Identifier: MIT */
BEGIN
{
	counter = 1;
}
