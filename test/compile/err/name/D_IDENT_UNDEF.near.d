/* SPDX-License-Identifier: MIT */
BEGIN
{
	trace(exename);
}
