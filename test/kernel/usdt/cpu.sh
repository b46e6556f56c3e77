# SPDX-License-Identifier: MIT
# -x cpu fires probes of a program on that CPU only, and counts no drops for the others.
for cpu in 0 1; do
	dtrace -q -x cpu=$cpu -c 'victim cpu 0 fire 2 cpu 1 fire 3 cpu 0 fire 4' -n '
		victim$target:::tick { @[cpu] = count(); printf("%d ", arg0); } END { printa("on %d: %@d\n", @); }'
done
