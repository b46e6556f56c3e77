/* SPDX-License-Identifier: MIT */
BEGIN
{
	denormalize(10);
}
