# SPDX-License-Identifier: MIT
# Pointers to constant strings also work for users who may not see the kernel, and show no address of
# the kernel.
. ../_policy.sh
policy 'user user dtrace_user'
user 'dtrace -qn "
BEGIN { p = (char *)\"first\"; this->p = (char *)\"this\"; }
BEGIN { q = (char *)\"second\"; printf(\"%s %s %x\n\", stringof(p), stringof(this->p), (uintptr_t)p >> 48); }
BEGIN { trace(p[6000]); }" -n "
BEGIN { r = (char *)\"third\"; printf(\"%s %s %s\n\", stringof(p), stringof(q), stringof(r)); exit(0); }"'
