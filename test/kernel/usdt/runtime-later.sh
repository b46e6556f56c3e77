# SPDX-License-Identifier: MIT
# Probes that are added, removed and added again while the program is traced; several providers, which
# are destroyed at different times; a statically linked program.
dtrace -Z -q -o "$T/seen" -c 'runtime-static provider app probe f a 0 probe f b 0 enable
	fire a 1 fire b 1 probe f c 0 fire c 1 enable fire c 1 fire a 1
	remove b fire b 1 fire a 1 probe f b 0 enable free a fire c 1 enabled c
	disable enabled c fire c 1 enable fire c 1
	provider app2_ probe f d 0 enable fire d 1 fire c 1
	destroy fire c 1 enabled c' -n '
app$target:::, app2_$target::: { printf("%s\n", probename); }'
cat "$T/seen"
