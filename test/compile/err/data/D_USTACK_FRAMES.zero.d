/* SPDX-License-Identifier: MIT */
BEGIN
{
	jstack(0);
}
