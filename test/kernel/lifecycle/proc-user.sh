# SPDX-License-Identifier: MIT
# An ordinary user may register probes but not trace; only root may read the module's files about processes and itself.
. ../_lib.sh
ls -l /dev/dtrace | awk 'NR > 1 { print $1, $NF }'
su user -c 'dtrace -x world=kernel -n "BEGIN { exit(0); }"'
echo "status $?"
start victim
trace -n 'victim*:::tick { @ = count(); }'
for file in /proc/dtrace/*; do
	echo "${file##*/}: root reads $(test -s "$file" || grep -q . "$file" && echo it), the user $(su user -c "cat $file" 2>&1 |
		sed -n 's/.*: Permission denied/does not/p; s/^ *\(WHO\|UID\) .*/does/p')"
done
echo "of the victim: root $(grep -l "$V\|victim" /proc/dtrace/* | wc -l) files, the user $(su user -c "cat /proc/dtrace/*" 2>/dev/null |
	grep -c "$V\|victim")"
untrace
finish
