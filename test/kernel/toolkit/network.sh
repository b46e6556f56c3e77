# SPDX-License-Identifier: MIT
# The scripts of the toolkit about the network report what their workload did.
# @@long: ci
# @@kernels: 6.1 6.12
# @@needs: types
# @@timeout: 90
. ./_lib.sh
show tcpresends -c "talks own lost4 3 100"
again=$(awk '$1 == "again" { print $2 }' "$T/out")
rows '$1 == "127.0.0.1" { n += $3; bytes += $4 } /^TcpRetransSegs/ { segments = $2 }
	END { print (n >= 1 && n == segments ? "as counted" : n " of " segments), (bytes == '"$again"' ? "as counted" : bytes) }'
show tcplives -c "talks own tcp4 2 10"
rows '$1 == "127.0.0.1" { print ($2 == 7003 ? "server" : $4 == 7003 ? "client" : "?"), $5, $6 }'
show tcplives -c "talks known own lost4 3 100"
rows '$1 == "127.0.0.1" { print ($2 == 7003 ? "server" : $4 == 7003 ? "client" : "?"), $5, $6 }'
show accepts -c "talks own tcp4 2 10"
total "^talks, port 7003"
show netdrops -c "talks own unread4 5"
rows '/NO_SOCKET/ { print }'
show netwaits -c "talks own udp4 5 100"
rows '$1 == "talks" { print $3, $4, ($5 > 0 ? "with time" : $5) }'
show netwaits -c "talks own tcp4 2 10"
rows '$1 == "talks" && $3 !~ /^recv/ { print $3, $4 }'
