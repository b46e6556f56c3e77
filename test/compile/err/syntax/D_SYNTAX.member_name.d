/* SPDX-License-Identifier: MIT */
BEGIN
{
	this->3 = 1;
}
