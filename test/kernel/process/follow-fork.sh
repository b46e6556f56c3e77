# SPDX-License-Identifier: MIT
# @@worlds: kernel two sessions at one process, and pid probes
# @@kernels: 6.1 6.12
# With followfork, descriptions that name a process match its descendants, too; without it, and for
# other sessions, they do not.
. ../_lib.sh

# follow PROBES VERB... - print which processes hit the probes in a victim, without followfork and with it.
follow()
{
	probes=$1
	shift
	start victim "$@"
	for option in followfork=0 followfork; do
		session $option -x $option -x aggsortkey -p "$V" \
			-n "$probes { @[pid == \$target ? \"itself\" : \"descendants\"] = count(); }" \
			-n 'END { printa("%-12s %@d\n", @); }'
	done
	finish
	wait
	for option in followfork=0 followfork; do
		echo "$option:"
		output $option
	done
}

follow 'victim$target:::tick' fire 1 fork fire 2 fork fire 4 end join end join fire 8

echo a child that was there before, by its own name:
pipes mid on
start victim fork tell "$T/mid" wait "$T/on" fire 1 fork fire 2 end join end join
release
read -r CHILD <"$T/mid"
session child -x followfork -p "$CHILD" -n "victim\$target:::tick { @[pid == \$target] = count(); }" \
	-n 'END { printa("%d %@d\n", @); }' -x aggsortkey
echo go >"$T/on"
wait "$V"
wait $SESSION
output child

echo a child that a process has when a thread of it has ended, and that executes a program:
follow 'victim$target:::tick' thread fire 1 end join vfork fire 2 end join fire 4

echo functions:
follow 'pid$target::sum_eight:entry' sum 1 fork sum 2 fork sum 4 end join end join sum 8
