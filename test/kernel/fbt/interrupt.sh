# SPDX-License-Identifier: MIT
# Returns of a function that an interrupt calls are noted, although the interrupt arrives while an instruction's probe fires.
. ../_lib.sh
[ "$KERNEL" = debug ] && reads=300 || reads=3000
text=0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789
dtrace -qn 'inline int work = strlen("'$text'") + strlen(strjoin("'$text'", "'$text'"));
kinst::vfs_read:1? { @long = sum(work + work + work + work + work); }
fbt::update_process_times:entry { @n["entered"] = count(); } fbt::update_process_times:return { @n["returned"] = count(); }
END { printa("%s %@d\n", @n); }' -c 'dd if=/dev/zero of=/dev/null bs=1 count='$reads >"$T/out" 2>"$T/err"
awk 'NF == 2 { n[$1] = $2 } END { print (n["entered"] > 50 && n["entered"] == n["returned"] ? "each returned" : n["entered"] " entered, " n["returned"] " returned") }' "$T/out"
sed -n /missed/p "$T/err"
