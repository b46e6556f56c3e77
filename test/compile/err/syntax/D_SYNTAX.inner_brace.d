/* SPDX-License-Identifier: MIT */
BEGIN
{
	if (pid) {
		trace(1);
}
