/* SPDX-License-Identifier: MIT */
BEGIN
{
	trace(Timestamp);
}
