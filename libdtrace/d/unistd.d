/* SPDX-License-Identifier: MIT */
/* unistd.d - constants of no other file: the null pointer, faults (arg4 of ERROR), those of socket(), mmap() and lseek(). */
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

/* address families */
inline int AF_UNSPEC = 0;
inline int AF_UNIX = 1;
inline int AF_LOCAL = 1;
inline int AF_INET = 2;
inline int AF_INET6 = 10;
inline int AF_NETLINK = 16;
inline int AF_PACKET = 17;
inline int AF_VSOCK = 40;

/* types of sockets: the lowest four bits of the second argument of socket() */
inline int SOCK_STREAM = 1;
inline int SOCK_DGRAM = 2;
inline int SOCK_RAW = 3;
inline int SOCK_SEQPACKET = 5;
inline int SOCK_NONBLOCK = 04000;
inline int SOCK_CLOEXEC = 02000000;

/* flags of send() and recv() */
inline int MSG_OOB = 0x1;
inline int MSG_PEEK = 0x2;
inline int MSG_DONTROUTE = 0x4;
inline int MSG_TRUNC = 0x20;
inline int MSG_DONTWAIT = 0x40;
inline int MSG_WAITALL = 0x100;
inline int MSG_NOSIGNAL = 0x4000;

/* second argument of shutdown() */
inline int SHUT_RD = 0;
inline int SHUT_WR = 1;
inline int SHUT_RDWR = 2;

/* third and fourth argument of mmap() */
inline int PROT_NONE = 0;
inline int PROT_READ = 1;
inline int PROT_WRITE = 2;
inline int PROT_EXEC = 4;
inline int MAP_SHARED = 0x1;
inline int MAP_PRIVATE = 0x2;
inline int MAP_FIXED = 0x10;
inline int MAP_ANON = 0x20;
inline int MAP_ANONYMOUS = 0x20;

/* third argument of lseek() */
inline int SEEK_SET = 0;
inline int SEEK_CUR = 1;
inline int SEEK_END = 2;
