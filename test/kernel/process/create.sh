# SPDX-License-Identifier: MIT
# @@long: ci
# @@kernels: 6.1 6.12
# Where -c stops programs of every kind; and the messages about programs that cannot start.
# @@timeout: 90
. ../_lib.sh

# called_after OPTION... PROGRAM - print which of these functions are called after the stop.
called_after()
{
	dtrace -Zqn 'pid$target:a.out:_start:entry, pid$target:a.out:frame_dummy:entry,
		pid$target:a.out:main:entry { printf("%s ", probefunc); }
		victim$target:::tick { printf("tick "); } END { printf("\n"); }' "$@"
}

for where in exec preinit postinit main; do
	for program in victim victim-static victim-static-pie; do
		echo "-- $where $program"
		called_after -x evaltime=$where -c "$program fire 2"
	done
done

echo "-- a script"
printf '#!/bin/sh\nexec victim fire 1\n' >"$T/script"
chmod 755 "$T/script"
dtrace -Zqn 'BEGIN { printf("%d\n", $target != 0); } victim*:::tick /pid == $target/ { printf("tick\n"); }' -c "$T/script" |
	sed /^$/d

echo "-- programs that get nowhere"
cp "$BIN/victim" "$T/lame"
sed -i 's/libc\.so\.6/libx.so.6/' "$T/lame"
dtrace -n BEGIN -c "$T/lame" 2>&1 | sed "s#$T#DIR#"
dtrace -n BEGIN -c /no/such 2>&1
dtrace -n BEGIN -c / 2>&1

echo "-- nothing is left"
! pidof victim lame
rows processes
