# SPDX-License-Identifier: MIT
# @@long: ci
# @@worlds: kernel 32-bit programs, a debugger of dtrace and its program, and the policy
# @@kernels: 6.1 6.12
# Where -c stops 32-bit programs; that a debugger which traces dtrace and the program is not disturbed; and the message about a
# program that the user may not trace.
# @@timeout: 90
. ../_lib.sh

for where in exec preinit postinit main; do
	echo "-- $where"
	dtrace -Zqn 'pid$target:a.out:_start:entry, pid$target:a.out:frame_dummy:entry, pid$target:a.out:main:entry {
		printf("%s ", probefunc); } victim$target:::tick { printf("tick "); } END { printf("\n"); }' \
		-x evaltime=$where -c 'victim-i386 fire 2'
done

echo "-- with a debugger"
debugger dtrace -qn 'victim$target:::tick { printf("tick %d\n", arg0); }' -c 'victim fire 2'
echo "status $?"

echo "-- one that has another user's rights"
cp "$BIN/victim" "$T/root"
chmod 4755 "$T/root"
chmod 755 "$T"
mkdir -p /etc/dtrace
echo 'user user dtrace_proc' >/etc/dtrace/policy
dtrace-policy
become groups 1000 gid 1000 uid 1000 run dtrace -qn 'BEGIN { exit(0); }' -c "$T/root print ran" 2>&1 | sed "s#$T#DIR#"
become groups 1000 gid 1000 uid 1000 run dtrace -qn 'victim$target:::tick { printf("tick\n"); }' -c "$BIN/victim fire 1"
rm -rf /etc/dtrace
dtrace-policy

echo "-- nothing is left"
! pidof victim root
rows processes
