/* SPDX-License-Identifier: MIT */
dtrace:::BEGN
{
}
