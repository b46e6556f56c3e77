# SPDX-License-Identifier: MIT
# A thread that is held at a probed instruction comes to it anew with the registers that it came with,
# though its probe may have carried the instruction out.
. ../_lib.sh
pipes up go
rewound "$T/up" "$T/go" &
P=$!
read -r V <"$T/up"
trace -n "pid$V:rewound:bump:4 { @ = count(); }"
release
wait $P
