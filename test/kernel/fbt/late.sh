# SPDX-License-Identifier: MIT
# Functions by which the kernel patches text are hooked after others. They fire, as the others do, when another tracer
# patches, and no function stays hooked.
. ./_lib.sh
tracing=/sys/kernel/tracing
[ -e $tracing/events ] || mount -t tracefs none $tracing
before=$(hooked)
cat >"$T/patch" <<E
echo vfs_fsync >$tracing/set_ftrace_filter
echo function >$tracing/current_tracer
echo nop >$tracing/current_tracer
echo >$tracing/set_ftrace_filter
E
dtrace -qn 'syscall::exit_group:entry /pid == $target/ { ended = 1; }
fbt::__text_poke:entry, fbt::text_poke_memcpy:entry, fbt::vfs_write:entry /pid == $target && !ended/ { @e[probefunc] = count(); }
fbt::__text_poke:return, fbt::text_poke_memcpy:return, fbt::vfs_write:return /pid == $target && !ended/ { @r[probefunc] = count(); }
END { printa("entry %s %@d\n", @e); printa("return %s %@d\n", @r); }' -c "sh $T/patch" >"$T/out"
awk '$1 == "entry" { n[$2] = $3 }
$1 == "return" { print $2, (n[$2] > 3 && n[$2] == $3 ? "fired" : n[$2] " entered, " $3 " returned") }' "$T/out" | sort
[ "$(hooked)" = "$before" ] && echo restored
