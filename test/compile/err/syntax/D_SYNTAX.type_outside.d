/* SPDX-License-Identifier: MIT */
kthread_t *t;

BEGIN
{
}
