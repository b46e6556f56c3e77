# SPDX-License-Identifier: MIT
# In which functions probes are, and why others do not exist; the idle thread; transfers, compared with the io provider.
# @@kernels: 6.1 6.12 debug
# @@needs: types
# @@timeout: 90
. ../io/_lib.sh
dtrace -l -n sysinfo:genunix:: | awk 'NR > 1 && $4 != "mutex_adenters" { print $2, $3, $4 }' | sort | tr '\n' ';'
echo
# A kernel with lockdep has the wait for a mutex inline.
[ "$(dtrace -l -n sysinfo:::mutex_adenters 2>&1 | grep -c 'vmlinux *mutex_adenters$')" = "$(grep -c ' __mutex_lock_slowpath$' /proc/kallsyms)" ] &&
	echo "mutex_adenters if the kernel has the function"
for name in phread lread cpu_ticks_user wait_ticks_io outch intrthread ufsiget; do
	dtrace -n "sysinfo:::$name" 2>&1 | tail -n 1
done
sed -n '/__mutex_lock/d; s/^sysinfo .*missing *//p' /proc/dtrace/triggers
echo "--- idle"
dtrace -qn 'sysinfo:::idlethread { from[cpu] = 1; } sched:::on-cpu /from[cpu]/ { from[cpu] = 0; @[tid == 0 ? "idle" : execname] = count(); }
	tick-100ms { n++; } tick-100ms /n > 5/ { exit(0); } END { printa("%s\n", @); }' | grep -v '^$'
echo "--- transfers"
disk size=128m
dtrace -qn 'sdt:block::block_bio_queue /args[0]->bi_iter.bi_size/ { @q["queued", (args[0]->bi_opf & 1) ? "bwrite" : "bread"] = count(); }
	sysinfo:::bread, sysinfo:::bwrite { @n["counted", probename] = sum(arg0); } END { printa("%s %s %@d\n", @q); printa("%s %s %@d\n", @n); }' \
	-c "sh -c 'dd if=/dev/zero of=$T/mnt/file bs=64k count=20 conv=fsync 2>/dev/null; echo 3 >/proc/sys/vm/drop_caches; cat $T/mnt/file >/dev/null'" >"$T/out"
for name in bread bwrite; do
	queued=$(sed -n "s/^queued $name //p" "$T/out")
	grep "^counted $name $queued\$" "$T/out" >/dev/null && [ "$queued" -gt 1 ] && echo "$name: as queued" || cat "$T/out"
done
no_disk
