/* args: -L ../../lib/clause */
/* SPDX-License-Identifier: MIT */
BEGIN
{
}
