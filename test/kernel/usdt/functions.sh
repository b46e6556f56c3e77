# SPDX-License-Identifier: MIT
# A probe with sites in two functions is two probes, each with its function. Functions of C++ have the
# names of the source, in descriptions too.
dtrace -q -c 'victim both 2' -n '
victim$target:::both { printf("%s:%s %d\n", probefunc, probename, arg0); }'
dtrace -q -c 'victim both 2' -n '
victim$target::both_second: { printf("%s %d\n", probefunc, arg0); }'
dtrace -q -c built-comdat -n '
built$target::numbers\:\:twice:, built$target::guarded: { printf("%s:%s %d\n", probefunc, probename, (int)arg0); }'
