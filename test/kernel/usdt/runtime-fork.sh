# SPDX-License-Identifier: MIT
# A child has the probes of its parent, and may remove them and make others.
. ../_lib.sh
trace -n 'app*::: { @[probename] = count(); } END { printa("%s %@d\n", @); }'
runtime provider app probe f a 0 probe f b 0 enable fire a 1 fork fire a 1 fire b 1 remove a fire a 1 \
	probe f c 0 enable fire c 1 fire b 1 enabled a fork fire c 1 fire b 1 fire a 1
untrace >"$T/all"
sort "$T/all"
