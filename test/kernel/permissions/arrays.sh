# SPDX-License-Identifier: MIT
# Pointers into arrays of a program also work for users who may not see the kernel, and show no address of the kernel.
. ../_policy.sh
policy 'user user dtrace_user'
user 'dtrace -qn "
int a[2], *p; this int l[2], *q; char s[8];
BEGIN { p = a; p[1] = 7; this->q = this->l; this->q[1] = 8; bcopy(\"text\", s, 5); }
BEGIN { p[100000] = 1; }
BEGIN { trace(p[100000]); }
BEGIN { printf(\"%d %d %d %s\n\", a[1], *(p + 1), this->l[1], stringof(s)); printf(\"%x %x\n\", (uintptr_t)p >> 48, (uintptr_t)this->q >> 48); exit(0); }"' 2>&1
