/* SPDX-License-Identifier: MIT */
provider p {
	probe 5(int);
};

BEGIN
{
}
