/* SPDX-License-Identifier: MIT */
/* simple.h - what the library does for the program. */
#ifndef SIMPLE_H
#define SIMPLE_H

/* Print line n, from the library, and fire its probes. */
void library_line(unsigned int n);

#endif
