# SPDX-License-Identifier: MIT
# A library that is loaded later, twice: with its constructor, and each call once; in a program of -c, and of -p
# that has run for a while.
. ../_lib.sh
dtrace -Zqn '
pid$target:liblate:late*:entry { printf("%s(%d)\n", probefunc, probefunc == "late_begin" ? 0 : arg0); }
pid$target::late_twice:return { printf("%s %s = %d\n", probemod, probefunc, arg1); }' -c "traced $BIN/liblate.so" | sed /^$/d | sort

echo "-- -p"
pipes go
traced "$T/go" "$BIN/liblate.so" &
V=$!
trace -p $V -n '
pid$target:liblate:late*:entry { printf("%s(%d)\n", probefunc, probefunc == "late_begin" ? 0 : arg0); }
pid$target::late_twice:return { printf("%s %s = %d\n", probemod, probefunc, arg1); }'
echo go >"$T/go"
wait $V
wait $TRACE
output | sort
