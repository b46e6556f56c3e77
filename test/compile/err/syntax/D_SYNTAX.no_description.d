/* SPDX-License-Identifier: MIT */
{
	trace(1);
}
