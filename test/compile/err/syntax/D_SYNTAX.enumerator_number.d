/* SPDX-License-Identifier: MIT */
enum e { 5 };

BEGIN
{
}
