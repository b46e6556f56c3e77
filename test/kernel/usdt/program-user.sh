# SPDX-License-Identifier: MIT
# @@worlds: kernel changes users
# An ordinary user's program registers its probes and is traced by root.
. ../_lib.sh
trace -n 'victim*:::tick { printf("uid %d tick %d\n", uid, arg0); }'
su user -c "$BIN/victim fire 2"
untrace
