/* SPDX-License-Identifier: MIT */
BEGIN
{
	trace(((struct proc *)arg0)->p_pid);
}
