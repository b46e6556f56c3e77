# SPDX-License-Identifier: MIT
# lib.sh - what the cases of test/elf use.

[ -x "$USDT" ] && [ -x "$DUMP" ] || { echo "the tools of test/elf are not built"; exit 1; }

# skip WHY - this case cannot run here.
skip() { echo "$*"; exit 77; }

# header, link - dtrace -h, dtrace -G; a status other than 0 is printed.
header() { "$USDT" -h "$@" || echo "status $?"; }
link() { "$USDT" -G -L "$LIBDIR" "$@" || echo "status $?"; }

# sites - the probe sites of objects and programs.
sites() { "$DUMP" "$@" | grep -v '^declared \|^provider ' || :; }
declared() { "$DUMP" "$@" | grep '^declared \|^provider ' || :; }

# cc, cxx COMPILER ARGUMENTS - compile with the sources of ours in reach and no warning allowed.
cc() { compiler=$1; shift; "$compiler" -Wall -Wextra -Werror -I"$SDT" "$@"; }

# need COMMAND... - skip if one of them is not here.
need() { for c in "$@"; do command -v "$c" >/dev/null || skip "no $c here"; done; }

# can32 - skip where 32-bit programs cannot be built.
can32() { echo 'int main(void) { return 0; }' >can32.c; gcc -m32 can32.c -o can32 2>/dev/null && ./can32 || skip "no 32-bit programs here"; }
