/* SPDX-License-Identifier: MIT */
/* lockstat.d - how a lock of readers and writers is held: arg1 of the probes of such locks. */
inline int RW_WRITER = 0;
inline int RW_READER = 1;
