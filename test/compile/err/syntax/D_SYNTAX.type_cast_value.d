/* SPDX-License-Identifier: MIT */
BEGIN
{
	x = (krwlock_t)arg0;
}
