# SPDX-License-Identifier: MIT
# With -Z, sites that a program has only in SystemTap's notes are found when a traced process executes it, from the first hit on:
# its own and those of its libraries, also if it executes the same program again; and with followfork in descendants.
. ../_lib.sh
HITS='noted$target:::plain { printf("plain %d\n", (int)arg0); } noted$target:::guarded { printf("guarded %d\n", (int)arg0); }
	plug$target:::hit { printf("%s %d\n", probemod, arg0); }'
traced()
{
	echo "$*"
	dtrace -Zq "$@" -n "$HITS" | sed /^$/d
}
noted="noted tell /dev/null wait /dev/null"
loads="dlopen $BIN/libplug-noted.so plug"
traced -c "sh -c 'exec $noted'"
traced -c "env $noted"
traced -c "env victim $loads 1 exec $loads 2"
traced -c "sh -c '$noted; true'"
traced -x followfork -c "sh -c '$noted; victim $loads 1; true'"
echo "with a pid probe"
dtrace -Zq -x followfork -n "$HITS"' pid$target:noted:main:entry { printf("main\n"); }' -c "sh -c '$noted; true'" | sed /^$/d
