# SPDX-License-Identifier: MIT
# @@worlds: kernel stop points of the module
# A thread that was stopped at an instruction executes it again with the same registers, whether a probe has emulated the
# instruction or the kernel was about to step over it, and whatever signals arrive meanwhile.
. ../_lib.sh
pipes up go
rewound "$T/up" "$T/go" &
P=$!
read -r V <"$T/up"
trace -n "pid$V:rewound:bump:4 { @ = count(); }"
release
wait $P
