# SPDX-License-Identifier: MIT
# The returns of functions by which the kernel itself notes returns have no probes: these would call themselves without end.
# A kernel that watches its locks calls such functions; others have none of them.
. ./_lib.sh
dtrace -qn 'fbt::rcu_*:return { @ = count(); n++; }
fbt::vfs_write:return /pid == $target/ { w++; }
END { printf("%s, %s\n", n > 10 ? "many returns" : "few", w ? "with writes" : "no writes"); }' -c 'sh -c "for i in 1 2 3 4 5; do echo \$i; done"' | grep returns
for name in rcu_read_lock_any_held rcu_read_lock_held rcu_lockdep_current_cpu_online rcu_is_watching; do
	grep -qw rcu_read_lock_any_held /proc/kallsyms || continue
	dtrace -ln "fbt::$name:" >/dev/null 2>&1 && echo "$name has probes"
done
true
