# SPDX-License-Identifier: MIT
# With followfork, a descendant is traced in a program that a static program without any of the probes has executed.
. ../_lib.sh
cd "$T" || exit
ln -s "$BIN/kin" kin-static # which kin-static executes, as it executes its own name
for how in fork vfork spawn; do
	dtrace -Zq -x followfork -c "sh -c 'kin-static 1 $how 2; :'" -n 'pid$target:kin:kin_step:entry { @[execname, (int)arg0] = count(); }' \
		-n 'END { printa("%s %d: %@d\n", @); }' 2>&1 | sed /^$/d
done
