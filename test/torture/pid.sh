# SPDX-License-Identifier: MIT
# @@long: yes
# @@timeout: 280
# Sessions of the pid provider begin and end at random. They trace programs that fork, load and
# unload libraries, change the protection of their text and are killed; sessions are killed, too.
# All results are as without tracing. Afterwards no tracepoint, process or probe is left, and the
# program text is unchanged.
. ./_lib.sh
set -- torture-work "$BIN/libtorture-part.so"
right=$("$@")
[ "$("$@")" = "$right" ] && echo "the same untraced"
enough=3
[ "$KERNEL" = debug ] && enough=1
torture-pid "${TORTURE_SECONDS:-12}" $enough "$@" "$right" >"$T/told" 2>"$T/errors"
told $?
sed 's/[0-9][0-9]*/N/g' "$T/errors" | sort | uniq -c | sort -rn | head -n 12 |
	while read -r line; do echo "$line" >/dev/kmsg; done
await eval '! rows processes | grep -q torture'
rows sessions
rows fasttrap
rows probes | grep ' pid'
rmmod dtrace && echo unloaded
insmod /vm/dtrace.ko
