/* args: -L ../../lib/inline */
/* SPDX-License-Identifier: MIT */
BEGIN
{
	trace(five);
}
