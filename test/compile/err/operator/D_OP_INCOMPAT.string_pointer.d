/* SPDX-License-Identifier: MIT */
string s;
BEGIN
{
	s = (int *)arg0;
}
