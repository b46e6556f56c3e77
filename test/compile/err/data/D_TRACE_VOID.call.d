/* SPDX-License-Identifier: MIT */
BEGIN
{
	trace(bcopy(NULL, NULL, 0));
}
