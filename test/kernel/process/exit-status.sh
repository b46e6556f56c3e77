# SPDX-License-Identifier: MIT
# @@kernels: 6.1 6.12
# dtrace prints how programs ended, and exits with their status if exitstatus is set; several commands
# and processes at once are traced until all have ended.
. ../_lib.sh

# told ARG... - run dtrace; print its messages without pids, and its status.
told()
{
	dtrace "$@" >"$T/out" 2>"$T/err"
	status=$?
	sed -e /matched/d -e 's/pid [0-9]*/pid PID/' "$T/err"
	grep -v '^CPU\|^$' "$T/out"
	echo "status $status"
}

for option in exitstatus exitstatus=0; do
	echo "$option:"
	told -x $option -c 'victim exit 5' -n BEGIN -x quiet
	told -x $option -c 'victim exit 0' -n 'ERROR {}'
	told -x $option -c 'victim die' -n 'ERROR {}'
	told -x $option -c 'victim exit 5' -n 'END { exit(3); }' -x quiet
	told -x $option -c 'victim exit 4' -c 'victim fire 3 exit 6' -x aggsortkey -x quiet \
		-n 'victim*:::tick { @[pid == $target] = count(); }'
done

echo commands and processes:
start victim fire 4 exit 9
session both -p "$V" -c 'victim fire 2' -n 'victim*:::tick { @ = count(); } END { printa("%@d\n", @); }'
usleep 300000
kill -0 $SESSION && echo 'one has ended, the other has not'
finish
echo "status $?"
wait $SESSION
output both
