/* SPDX-License-Identifier: MIT */
syscall::read:entry
{
}
