/* SPDX-License-Identifier: MIT */
BEGIN
{
	self.x = 1;
}
