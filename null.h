/* Made by dtrace -h from null: changes here will be lost. */
#ifndef _NULL_H
#define _NULL_H

#include <sys/sdt.h>
#ifndef _DTRACE_ENABLED
#error "sys/sdt.h is another tool's: compile with -I and the folder of dtrace's own"
#endif

#endif
