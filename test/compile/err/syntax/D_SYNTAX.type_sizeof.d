/* SPDX-License-Identifier: MIT */
BEGIN
{
	x = sizeof (in6_addr_t *);
}
