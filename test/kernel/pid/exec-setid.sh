# SPDX-License-Identifier: MIT
# @@worlds: user the module stops set-id programs too
# A process that executes a set-id program, itself or by a script, or a program that may not be read, is not stopped at the
# exec: under ptrace it would run without the program's rights. _start is hit only in a program that is traced from its first
# instruction on: the program is static, so that nothing runs before, when dtrace might join it on a busy machine.
. ../_lib.sh
starts()
{
	dtrace -Zqn 'pid$target:a.out:_start:entry { @[execname] = count(); } END { printa("%s %@d\n", @); }' -c "$*" 2>&1 | sed /^$/d
}
for mode in 4755 2755 111 755; do
	cp "$BIN/victim-static" "$T/$mode"
	chmod $mode "$T/$mode"
	starts victim run "$T/$mode" print "$mode"
done
printf '#!%s print\n' "$T/4755" >"$T/script"
chmod 755 "$T/script"
starts victim run "$T/script"
