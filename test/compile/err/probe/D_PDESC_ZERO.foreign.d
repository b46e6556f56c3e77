/* SPDX-License-Identifier: MIT */
lockstat:::spin-acquire
{
}
