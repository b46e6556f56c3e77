/* SPDX-License-Identifier: MIT */
/* table.h - the table of threads that stacks.c keeps for helper.d. */
#ifndef TABLE_H
#define TABLE_H

#define TABLE_FIRST 8	 /* where it begins in dtrace_helper_data */
#define TABLE_SLOT  16	 /* bytes: thread, interpreter */
#define TABLE_SLOTS 1024 /* a thread's: its number modulo this, or one behind it */
#define TABLE_TRIES 4

#endif
