/* SPDX-License-Identifier: MIT */
BEGIN
/pid == 1
{
}
