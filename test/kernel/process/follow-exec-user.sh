# SPDX-License-Identifier: MIT
# @@worlds: kernel changes users, and has a policy
# @@kernels: 6.1 6.12
# A user's session follows only the user's programs: a set-id program, or one that the user may not read, is neither stopped
# nor traced; a program that it executes with only the user's rights is. For root they all are traced.
. ../permissions/_lib.sh
policy 'user user dtrace_proc'
chmod 755 "$T"
cp "$BIN/kin" "$T/kin-setuid"
chown root "$T/kin-setuid"
chmod 4755 "$T/kin-setuid"
cp "$BIN/kin" "$T/kin-unreadable"
chmod 711 "$T/kin-unreadable"
cp "$BIN/kin" "$T/kin"
chmod 755 "$T/kin"
printf '#!/bin/sh\n%s 0\n%s 0\n%s 0\n%s 0\n' "$T/kin" "$T/kin-setuid" "$T/kin-unreadable" "$T/kin" >"$T/script"
chmod 755 "$T/script"
program='pid$target::kin_step:entry { @[execname, uid] = count(); } END { printa("%s %d: %@d\n", @); }'
echo 0 >/proc/sys/fs/suid_dumpable	# else what cannot be read is there for debuggers
echo a user:
user "dtrace -Zq -x followfork -c '$T/script' -n '$program'" 2>&1 | sed /^$/d
echo root:
dtrace -Zq -x followfork -x aggsortkey -c "$T/script" -n "$program" 2>&1 | sed /^$/d
echo 1 >/proc/sys/fs/suid_dumpable
rows processes
