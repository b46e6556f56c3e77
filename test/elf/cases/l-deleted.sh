# SPDX-License-Identifier: MIT
# A process whose program was deleted, or replaced by another: its probes are listed under the program's name.
[ -x "$DTRACE" ] || skip "no installed dtrace"
cat >gone.c <<'X'
#include <sys/sdt.h>
#include <unistd.h>

int main(void)
{
	char c;

	DTRACE_PROBE(gone, up);
	return read(0, &c, 1) != 0;
}
X
cc gcc gone.c -o gone
mkfifo in
./gone <in &
exec 3>in
until "$DTRACE" -l -p $! 2>/dev/null | grep -q gone; do sleep 0.1; done
rm gone
list() { "$DTRACE" -l -p $! 2>&1 | sed "s/gone$! */gonePID /; s/  */ /g"; }
list
echo "another" >gone
list
exec 3>&-
wait $!
