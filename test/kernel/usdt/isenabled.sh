# SPDX-License-Identifier: MIT
# Code that _ENABLED() guards runs only while the probe is enabled.
. ../_lib.sh
pipes second third
start victim guarded 5 tell "$T/second" wait "$T/third" guarded 5
trace -n 'victim*:::guarded { @ = count(); } END { printa("fired %@d times\n", @); }'
release
read -r V <"$T/second"
untrace
echo go >"$T/third"
wait "$V"
victim guarded 5
