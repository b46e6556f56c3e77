/* SPDX-License-Identifier: MIT */
/* tracemem shows memory in hexadecimal and as text. */
#pragma D option quiet
BEGIN { this->p = "memory of the kernel side"; tracemem((void *)this->p, 32); exit(0); }
