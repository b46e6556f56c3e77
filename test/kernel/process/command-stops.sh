# SPDX-License-Identifier: MIT
# While a command of system() runs, the process loads a library, or executes a program: its thread waits until the command has
# ended, and is traced then.
. ../_lib.sh
pipes go

# command - let the process go on, and wait until it waits for dtrace: no longer in its read() of the pipe.
cat >"$T/command" <<'END'
echo go >"$2"
until read -r number rest <"/proc/$1/syscall" && [ "$number" != 0 ] && [ "$number" != running ]; do
	:
done
END
# traces PROBE PROGRAM... - trace a process that waits for the pipe.
traces()
{
	probe=$1
	shift
	"$@" &
	V=$!
	await eval 'read -r number rest </proc/$V/syscall && [ "$number" != running ]'
	dtrace -wZq -p $V -n 'BEGIN { system("sh %s %d %s", $$1, $target, $$2); }
		pid$target:'"$probe"':entry { printf("%s\n", probefunc); }' "$T/command" "$T/go" | sed /^$/d
	wait $V
}

echo "-- a library"
traces liblate:late_twice traced "$T/go" "$BIN/liblate.so" >"$T/out"
grep late_twice "$T/out"
echo "-- a program"
traces victim:sum_eight victim wait "$T/go" exec sum 1 | grep sum_eight
