/* SPDX-License-Identifier: MIT */
BEGIN
{
	x = (proc_t **)arg0;
}
