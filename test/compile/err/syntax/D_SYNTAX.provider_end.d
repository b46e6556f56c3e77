/* SPDX-License-Identifier: MIT */
provider p {
	probe a(int);
}

BEGIN
{
}
