/* SPDX-License-Identifier: MIT */
profile:kernel::tick-1s
{
}
