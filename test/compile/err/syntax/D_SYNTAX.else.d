/* SPDX-License-Identifier: MIT */
BEGIN
{
	else trace(1);
}
