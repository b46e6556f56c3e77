# SPDX-License-Identifier: MIT
# @@kernels: 6.1 6.12
# Thousands of probes, in several blocks of memory and registrations: each fires once, with its own name.
dtrace -Z -q -o "$T/seen" -c 'runtime provider app many 4500 enable each 4500 free p0 fire p7 1' -n '
app$target:::p* { @ = count(); @n[probename] = count(); }
END { printa("%@d\n", @); trunc(@n, 1); printa("%@d\n", @n); }'
cat "$T/seen"
