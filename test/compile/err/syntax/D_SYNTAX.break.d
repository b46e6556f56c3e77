/* SPDX-License-Identifier: MIT */
BEGIN
{
	if (pid) {
		break;
	}
}
