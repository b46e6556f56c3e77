/* SPDX-License-Identifier: MIT */
profle:::tick-1s
{
}
