/* SPDX-License-Identifier: MIT */
BEGIN
{
}
}
