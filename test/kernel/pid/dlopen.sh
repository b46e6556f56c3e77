# SPDX-License-Identifier: MIT
# A library that is loaded later, twice: with its constructor, and each call once.
. ../_lib.sh
dtrace -Zqn '
pid$target:liblate:late*:entry { printf("%s(%d)\n", probefunc, probefunc == "late_begin" ? 0 : arg0); }
pid$target::late_twice:return { printf("%s %s = %d\n", probemod, probefunc, arg1); }' -c "traced $BIN/liblate.so" | sed /^$/d | sort
