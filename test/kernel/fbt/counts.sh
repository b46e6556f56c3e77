# SPDX-License-Identifier: MIT
# Functions fire as often as ftrace says, entries and returns, of 64-bit and of 32-bit programs.
# @@kernels: 6.1 6.12
# @@timeout: 60
. ../_lib.sh
tracing=/sys/kernel/tracing
[ -e $tracing/events ] || mount -t tracefs none $tracing
echo 'vfs_*' >$tracing/set_ftrace_filter
echo 'kmem_cache_*' >>$tracing/set_ftrace_filter
echo 20000 >$tracing/buffer_size_kb
dtrace -q -o "$T/seen" -x aggsize=4m -n 'BEGIN { printf("@tracing\n"); }
	fbt:vmlinux:vfs_*:entry, fbt:vmlinux:kmem_cache_*:entry { @entries[pid, probefunc] = count(); }
	fbt:vmlinux:vfs_*:return, fbt:vmlinux:kmem_cache_*:return { @returns[pid, probefunc] = count(); }
	END { printa("entry %d %s %@d\n", @entries); printa("return %d %s %@d\n", @returns); }' &
session=$!
await is_tracing $session "$T/seen"
echo function >$tracing/current_tracer
for program in calls calls-i386; do
	sh -c 'echo $$ >"$0"; exec "$@"' "$T/$program" "$BIN/$program" plain
done
echo 0 >$tracing/tracing_on
kill -INT $session
wait $session
cat $tracing/trace >"$T/trace"
echo nop >$tracing/current_tracer
echo >$tracing/set_ftrace_filter
echo 1 >$tracing/tracing_on
for program in calls calls-i386; do
	read -r pid <"$T/$program"
	# a line of ftrace: the name, a dash and the process, ..., the function and <- its caller
	grep -- "-$pid  *\[" "$T/trace" | sed 's/ <-.*//; s/.* //' | sort | uniq -c | awk '{ print $2, $1 }' | sort >"$T/ftrace"
	for kind in entry return; do
		sed -n "s/^$kind $pid //p" "$T/seen" | sort >"$T/$kind"
		cmp "$T/ftrace" "$T/$kind" >/dev/null && [ "$(grep -c . "$T/ftrace")" -ge 5 ] &&
			echo "$program, $kind: the same" || diff "$T/ftrace" "$T/$kind"
	done
done
