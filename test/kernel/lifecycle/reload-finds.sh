# SPDX-License-Identifier: MIT
# @@long: yes
# Loading the module again finds instrumented programs that are already running: -p registers what
# their files say.
. ../_lib.sh
pipes a b
rmmod dtrace
start victim fire 2 guarded 1 text tell "$T/a" wait "$T/b" text
insmod /vm/dtrace.ko
trace -p "$V" -n '
victim$target:::tick { printf("tick %d\n", arg0); }
victim$target:::guarded { printf("guarded %d\n", arg0); }'
release
read -r V <"$T/a"
untrace
echo go >"$T/b"
wait "$V"
