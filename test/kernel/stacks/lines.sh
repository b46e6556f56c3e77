# SPDX-License-Identifier: MIT
# @@kernels: 6.1 6.12
# Source lines and inlined functions, from the program and from its separate debug file; no lines if there is no debug
# information.
. ./_lib.sh
for program in frames frames-stripped; do
	echo "$program"
	dtrace -q -Z -x stacklines -n 'frames$target:::at { ustack(4); }' -c "./$program inlined" 2>&1 |
		sed -e '/^$/d' -e 's/+0x[0-9a-f]*//'
done
echo "as a key"
dtrace -q -Z -x stacklines -n 'frames$target:::at { @[ustack(2)] = count(); }' -c "./frames inlined inlined" 2>&1 |
	sed -e '/^$/d' -e 's/+0x[0-9a-f]*//'
echo "json"
dtrace -q -Z -x stacklines -x oformat=json -n 'frames$target:::at { ustack(2); }' -c "./frames inlined" 2>&1 |
	sed -e 's/.*"output"/"output"/' -e 's/+0x[0-9a-f]*//' -e 's/"0x[0-9a-f]*"/OFFSET/g'
echo "clang"
[ -x ./frames-clang ] || { cp frames "$T/frames-clang"; cd "$T"; }
dtrace -q -Z -x stacklines -n 'frames$target:::at { ustack(2); }' -c "./frames-clang inlined" 2>&1 |
	sed -e '/^$/d' -e 's/+0x[0-9a-f]*//' -e 's/^.*`/`/'
cd "$BIN"
echo "without debug information"
dtrace -q -Z -x stacklines -n 'script$target:::at { ustack(1); }' -c "./script-debugdata run main" 2>&1 | sed -e '/^$/d' -e 's/+0x.*//'
