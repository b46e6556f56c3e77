# SPDX-License-Identifier: MIT
# @@worlds: kernel writes to /usr
# @@timeout: 60
# Functions of stripped programs, which only .gnu_debugdata names, or a separate file that is found by .gnu_debuglink
# or by the build ID. Without them there are no functions.
. ../_lib.sh

# hidden PROGRAM - print how often its functions are called, one of which is static.
hidden()
{
	echo "-- $1"
	dtrace -qn 'pid$target:a.out:do_hidden:entry, pid$target:a.out:do_returns:entry, pid$target:a.out:do_returns:return
	{
		@[probemod, probefunc, probename] = count();
	}
	END { printa("%s %s %s %@d\n", @); }' -x aggsortkey -c "$1" | sed /^$/d
}

hidden hidden-link
hidden hidden-data
echo "-- hidden-id without its file"
dtrace -qn 'pid$target:a.out:do_hidden:entry' -c hidden-id 2>&1 | grep -o 'failed to find.*'
mkdir -p /usr/lib/debug/.build-id/70
cp "$BIN/hidden.debug" /usr/lib/debug/.build-id/70/72f0beda7a11d0.debug
hidden hidden-id
echo "-- its stacks"
dtrace -qn 'pid$target:libc:printf:entry { ustack(2); }' -c hidden-id | sed -n 's/+0x.*//; s/^ *//; /`/p'
rm -r /usr/lib/debug/.build-id/70
