/* SPDX-License-Identifier: MIT */
plockstat:::spin-acquire
{
}
