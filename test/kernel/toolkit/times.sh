# SPDX-License-Identifier: MIT
# The scripts of the toolkit about times report what their workload did, also on a kernel without type information.
# @@kernels: 6.1 6.12 debug
# @@timeout: 60
. ./_lib.sh
show lifetimes -c "sh -c 'for i in 1 2 3 4 5 6 7; do calls done; done'"
total calls
show slowcalls 200000 -c "calls interrupted"
rows '$2 == "calls" { print $3, ($4 >= 200000 ? "long" : $4), $5 }'
show sleeps -c "lives switches 100"
rows 'NF == 1 { own = $1 } $1 == "lives" && $2 == "clock_nanosleep" { n = $3; us = $4 }
	END { print (n == own && n >= 90 ? "as the kernel counts" : n " of " own), (us >= 1000 * n ? "as long as asked for" : us) }'
