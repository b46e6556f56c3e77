# SPDX-License-Identifier: MIT
# @@worlds: kernel a debugger sees the code that instructions are moved to
# A debugger that single-steps a function stops after each of its instructions, whether probed or
# not, and sees the same registers as without probes.
. ../_lib.sh
stepped >"$T/plain"
tail -n 2 "$T/plain"
dtrace -qo "$T/counts" -n 'pid$target:a.out:stepped: { @ = count(); } END { printa("%@d traced\n", @); }' -c stepped >"$T/probed"
cmp "$T/plain" "$T/probed" && echo the same
grep traced "$T/counts"
