/* SPDX-License-Identifier: MIT */
pid$targe:::entry
{
}
