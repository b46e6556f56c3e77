# SPDX-License-Identifier: MIT
# @@worlds: kernel stop points of the module
# A thread that is held at an instruction comes to it anew with the registers that it came with, whether a probe has carried the
# instruction out or the kernel was about to step over it, and whatever signals come meanwhile.
. ../_lib.sh
pipes up go
rewound "$T/up" "$T/go" &
P=$!
read -r V <"$T/up"
trace -n "pid$V:rewound:bump:4 { @ = count(); }"
release
wait $P
