# SPDX-License-Identifier: MIT
# Returns of a function that an interrupt calls are noted, although the interrupt arrives while an instruction's probe fires.
# Only interrupts of the process are counted, up to its end: no call is under way then.
. ../_lib.sh
[ "$KERNEL" = debug ] && reads=1000 || reads=3000
text=0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789
dtrace -qn 'inline int work = strlen("'$text'") + strlen(strjoin("'$text'", "'$text'"));
kinst::vfs_read:1? { @long = sum(work + work + work + work + work); }
syscall::exit_group:entry /pid == $target/ { ended = 1; }
fbt::update_process_times:entry /pid == $target && !ended/ { @n["entered"] = count(); }
fbt::update_process_times:return /pid == $target && !ended/ { @n["returned"] = count(); }
END { printa("%s %@d\n", @n); }' -c 'dd if=/dev/zero of=/dev/null bs=1 count='$reads >"$T/out" 2>"$T/err"
awk 'NF == 2 { n[$1] = $2 } END { print (n["entered"] > 50 && n["entered"] == n["returned"] ? "each returned" : n["entered"] " entered, " n["returned"] " returned") }' "$T/out"
sed /^[0-9]/d "$T/err"
