# SPDX-License-Identifier: MIT
# A process that has code of files that are no ELF files, or damaged ones: the probes of the others are listed.
[ -x "$DTRACE" ] || skip "no installed dtrace"
cat >mapper.c <<'X'
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/sdt.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	char c;
	int i;

	for (i = 1; i < argc; i++)
		if (mmap(0, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, open(argv[i], O_RDONLY), 0) == MAP_FAILED)
			return 1;
	DTRACE_PROBE(mapper, up);
	puts("up");
	fflush(stdout);
	return read(0, &c, 1) != 0;
}
X
cc gcc mapper.c -o mapper
echo "made by a compiler while it ran" >code
head -c 3000 mapper >damaged
mkfifo in out
mapped() {
	./mapper "$@" <in >out &
	exec 3>in
	read -r up <out
	"$DTRACE" -l -p $! >list 2>&1 || echo "status $?"
	sed "s/mapper$! */mapperPID /; s/  */ /g; s,/[^ ]*/damaged,damaged," list | grep -v 'libc\|ld-linux'
	exec 3>&-
	wait $!
}
echo "-- no ELF file"
mapped code
echo "-- a damaged one"
mapped damaged code
