# SPDX-License-Identifier: MIT
# @@kernels: 6.1 6.12
# When a probe is removed, the probes of the same registration are registered again. None of their firings
# is lost or counted twice meanwhile.
dtrace -Z -q -o "$T/seen" -c 'runtime provider app probe f a 2 many 100 enable shed a 100 fire a 1' -n '
app$target:::a { @ = count(); } END { printa("%@d\n", @); }'
cat "$T/seen"
dtrace -qn 'app$target:script:: { @[probename] = count(); } END { printa("%s %@d\n", @); }' -o "$T/three" \
	-c 'runtime provider app many 3 enable each 3 remove p1 fire p0 1 fire p2 1 remove p0 fire p2 1' -Z
grep . "$T/three" | sort
