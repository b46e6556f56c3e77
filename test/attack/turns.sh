# SPDX-License-Identifier: MIT
# While one user enables thousands of probes, which keeps the uprobe worker busy, programs of other users start with their probes at once.
# @@long: yes
# @@timeout: 300
. ./_lib.sh
policy "user user dtrace_proc"
# `many` is root's file, in which a user may have fewer.
limit=/sys/module/dtrace/parameters/user_file_sites
before=$(cat $limit)
echo 100000 >$limit
functions=10000 glob='fun_*'
[ "$KERNEL" = 6.1 ] || [ "$KERNEL" = 6.12 ] || { functions=1000 glob='fun_0*'; }

mkfifo -m 666 "/tmp/turns.in"
su user -c "exec $BIN/many" </tmp/turns.in >/dev/null &
exec 3>/tmp/turns.in
many() { pidof many; }
await many
M=$(many)
# Root traces programs of others: its probes exist from each program's first instruction on.
trace -n 'victim*:::tick { @ = count(); } END { printa("%@d starts were seen\n", @); }'

changing() { rows fasttrap | awk '/^changing/ { n++ } END { print n + 0 }'; }
# The user enables the probes again and again: on some machines, they are enabled before programs have started.
touch "$T/again"
user "while [ -e $T/again ]; do dtrace -q -p $M -n 'pid$M:many:$glob:entry { @ = count(); } BEGIN { exit(0); }'; done" >"$T/hog" 2>&1 &
hog=$!
much() { [ "$(changing)" -gt $((functions / 4)) ]; }
starts=0 left=0
while [ "$left" -le 100 ] && [ $starts -lt 40 ]; do
	await much
	victim fire 1
	user "$BIN/victim fire 1"
	left=$(changing)
	starts=$((starts + 2))
done
rm "$T/again"
wait $hog
untrace >"$T/seen"
sed "s/^$starts starts/all starts/" "$T/seen"
grep . "$T/hog"
kill -KILL $M
rm /tmp/turns.in
echo "$before" >$limit
[ "$left" -gt 100 ] || { echo "the probes were set before the programs had started ($left left): nothing is shown"; exit 77; }
