/* SPDX-License-Identifier: MIT */
/* unistd.d - constants of no other file: the null pointer, faults (arg4 of ERROR), address families for inet_ntop(). */
inline void *NULL = 0;

inline int DTRACEFLT_UNKNOWN = 0;
inline int DTRACEFLT_BADADDR = 1;
inline int DTRACEFLT_BADALIGN = 2;
inline int DTRACEFLT_ILLOP = 3;
inline int DTRACEFLT_DIVZERO = 4;
inline int DTRACEFLT_NOSCRATCH = 5;
inline int DTRACEFLT_KPRIV = 6;
inline int DTRACEFLT_UPRIV = 7;
inline int DTRACEFLT_TUPOFLOW = 8;
inline int DTRACEFLT_BADSTACK = 9;
inline int DTRACEFLT_WORK = 10;
inline int DTRACEFLT_LIBRARY = 1000;

inline int AF_INET = 2;
inline int AF_INET6 = 10;
