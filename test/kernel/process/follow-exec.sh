# SPDX-License-Identifier: MIT
# @@long: ci
# @@kernels: 6.1 6.12
# With followfork, descendants are traced in the programs that they execute, from the first instruction on: to any depth, by
# fork, vfork and posix_spawn, by shells and scripts, with libraries and static probes; without it they are not.
# @@timeout: 240
. ../_lib.sh
KIN=$BIN/kin
KEY='(int)arg0'

# follow COMMAND PROBES ARG... - count firings by the program's name, the function and $KEY.
follow()
{
	command=$1 probes=$2
	shift 2
	dtrace -Zq -x aggsortkey "$@" -c "$command" -n "$probes { @[execname, probefunc, $KEY] = count(); }" \
		-n 'END { printa("%s %s %d: %@d\n", @); }' 2>&1 | sed /^$/d
}
for how in '1 fork' '1 vfork' '1 spawn' '3 mixed'; do
	echo "$how:"
	follow "$KIN $how 2" 'pid$target:kin:kin_step:entry' -x followfork
done
echo not asked for:
follow "$KIN 3 mixed 2" 'pid$target:kin:kin_step:entry'

# The orphan begins when the pipe has a reader, which then waits for its end.
pipes orphan
# The shell is a copy, which is not set-id.
cp /bin/sh "$T/sh"
printf '#!%s/sh\n%s 1 vfork 2\n(exec %s 0 3>%s &)\nexec %s 0\n' "$T" "$KIN" "$KIN" "$T/orphan" "$KIN" >"$T/script"
chmod 755 "$T/script"
echo a script, started by a shell, and who is nobody\'s child any more:
follow "sh -c '$T/script; cat $T/orphan'" 'pid$target::kin_step:entry' -x followfork
echo programs, libraries, those that are loaded later too:
KEY=1
follow "sh -c 'traced $BIN/liblate.so >/dev/null; $KIN 0'" \
	'pid$target:libc:printf:entry, pid$target:liblate:late_twice:entry, pid$target:a.out:do_tail:entry' -x followfork
KEY='(int)arg0'
echo static probes:
follow "sh -c 'victim fire 1 fork fire 1 exec fire 3 end join; sh -c \"victim fire 2\"; victim-static fire 1'" \
	'victim$target:::tick' -x followfork
echo deeper than generations are counted:
follow "$KIN 12 mixed 1" 'pid$target::kin_step:entry' -x followfork
echo whose probes they are:
dtrace -q -x followfork -c "$KIN 1 vfork 2" \
	-n 'pid$target:kin:kin_step:entry { @[probeprov == strjoin("pid", lltostr(pid)), pid == $target] = count(); }' \
	-n 'END { printa("%d %d: %@d\n", @); }' | sed /^$/d
echo what is left:
rows processes
