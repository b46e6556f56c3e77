# SPDX-License-Identifier: MIT
# Helper clauses of a provider file become a program in -G's object, or with -xlinktype=dof in a file by itself; drti
# of a program that carries one registers its probes as always.
cat >p.d <<'X'
provider foo { probe bar(int); };
typedef struct frame { struct frame *next; char *name; } frame_t;
dtrace:helper:ustack:
{
	this->frame = (frame_t *)copyin(arg1, sizeof (frame_t));
}
dtrace:helper:ustack:
/this->frame->name != 0/
{
	strjoin("@", copyinstr((uintptr_t)this->frame->name));
}
X
export DTRACE_LIBDIR="$LIBDIR"
"$DTRACE" -G -xnolibs -s p.d -o p.o
"$DTRACE" -G -xnolibs -xlinktype=dof -s p.d -o p.dof
"$DTRACE" -h -s p.d -o p.h
head -c 4 p.dof | od -An -c
strings p.dof | grep -x -e helper -e ustack | sort | uniq -c | sed 's/^ *//'
cat >m.c <<'X'
#include "p.h"
int main(void) { FOO_BAR(3); return 0; }
X
cc gcc -I. m.c p.o -o m
./m
# what cannot be a helper is refused, as in any program
sed 's/strjoin.*/printf("no");/' p.d >bad.d
"$DTRACE" -G -xnolibs -xerrtags -s bad.d -o bad.o 2>&1 | head -1
test ! -e bad.o
# nothing to write
echo 'int x;' >none.d
"$DTRACE" -G -xlinktype=dof -s none.d -o none.dof 2>&1 || echo "status $?"
