# SPDX-License-Identifier: MIT
# @@worlds: kernel a program that changes its user
# A setuid program registers its probes, too, and ignores environment variables that would prevent it.
. ../_lib.sh
cp "$BIN/victim" /usr/bin/victim-setuid
chmod 4755 /usr/bin/victim-setuid
trace -n 'victim*:::tick { printf("%s tick %d\n", execname, arg0); }'
su user -c 'DTRACE_DOF_INIT_DISABLE=1 victim-setuid fire 2'
untrace
