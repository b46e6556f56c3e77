/* SPDX-License-Identifier: MIT */
BEGIN
{
	x = (kmutex_t *)arg0;
}
