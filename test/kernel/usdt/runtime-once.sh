# SPDX-License-Identifier: MIT
# @@worlds: user the module has what programs have registered
# A session looks at each process once for each description and when it begins, but reads only once what the program
# keeps of its probes.
. ../_lib.sh
command -v strace >/dev/null || { echo "no strace"; exit 77; }
export ASAN_OPTIONS=detect_leaks=0 # LeakSanitizer does not work under strace
pipes one two
runtime provider app probe main a 0 many 5 enable tell "$T/one" wait "$T/two" fire a 3 fire p0 1 &
read -r V <"$T/one"
kept=$(sed -n 's/^\([0-9a-f]*\)-.*memfd:dtrace-dof.*/\1/p' "/proc/$V/maps")
UNDER="strace -qqyo $T/calls -e trace=pread64"
trace -n "app*:::a, app*:::p? { @ = count(); } app*:::p0 { exit(0); }"
echo go >"$T/two"
wait "$V" $TRACE
output
echo "whole reads: $(sed -n "s/.*mem>,.*, \([0-9]*\), $((0x$kept))) = .*/\1/p" "$T/calls" | awk '$1 > 512' | wc -l)"
