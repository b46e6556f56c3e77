/* SPDX-License-Identifier: MIT */
BEGIN
{
	trace(this);
}
