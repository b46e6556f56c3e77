# SPDX-License-Identifier: MIT
# Stacks name functions of a module that is loaded when dtrace has printed names already.
# @@kernels: 6.1 6.12 debug
# @@timeout: 60
. ../_lib.sh
trace -n 'BEGIN { printf("%a\n", func((uintptr_t)&`jiffies)); }
	fbt::param_attr_store:entry { self->on = 1; }
	fbt::param_attr_store:return { self->on = 0; }
	lockstat:::adaptive-acquire /self->on/ { @[stack(2)] = count(); }'
await grep jiffies "$T/trace.out"
insmod /test/modules/locked.ko
echo 20 >/sys/module/locked/parameters/take
untrace >"$T/out"
awk '/`jiffies/ { next } { gsub(/\+0x[0-9a-f]*/, "") } /`/ { where = where " " $1; next } /^ *20$/ { print where ":", $1 } { where = "" }' "$T/out"
rmmod locked
