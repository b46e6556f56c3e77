# SPDX-License-Identifier: MIT
# Segments of data and their bytes are as many as the kernel counts for a connection: sent, sent again, in order, too
# early, received before, or half of them.
# @@long: yes
# @@kernels: 6.1 6.12 debug
# @@timeout: 90
. ../_lib.sh
for run in "own tcp4 7 100" "tcp6 6 33" "own lost4 3 100" "lost6 2 50" "own disorder4 3 100" "own overlap4 4 100" "own large4 5 60000"; do
	echo "-- $run"
	dtrace -qn 'mib:::tcpOutData*, mib:::tcpRetransBytes, mib:::tcpInData* { @[probename] = sum(arg0); @by[arg2 == (uintptr_t)&`init_net] = count(); }
		END { printa("%s %@d\n", @); printa("ours %d\n", @by); }' -c "talks known $run" >"$T/out"
	awk -v run="$run" '{ n[$1] = $2 }
		function same(what, told, counted) { if (told + 0 != counted + 0) print what ": " told + 0 ", counted " counted + 0; else told_all = told_all " " what }
		END {
			same("sent", n["tcpOutDataBytes"], n["sent"])
			same("again", n["tcpRetransBytes"], n["again"])
			same("segments sent", n["tcpOutDataSegs"] + n["TcpRetransSegs"], n["segments_out"])
			same("bytes received", n["tcpInDataInorderBytes"] + n["tcpInDataUnorderBytes"], n["received"])
			same("too early", n["tcpInDataUnorderSegs"], n["early"])
			same("segments received", n["tcpInDataInorderSegs"] + n["tcpInDataUnorderSegs"] + n["tcpInDataDupSegs"], n["segments_in"])
			print "as counted:" told_all
			if (run ~ /disorder|overlap/)
				printf("early %d bytes, known %s %s, half known %d %d\n", n["tcpInDataUnorderBytes"],
					n["tcpInDataDupSegs"] >= 3 ? "3 or more" : n["tcpInDataDupSegs"] + 0,
					n["tcpInDataDupBytes"] == 100 * n["tcpInDataDupSegs"] ? "all of it" : n["tcpInDataDupBytes"],
					n["tcpInDataPartDupSegs"], n["tcpInDataPartDupBytes"])
			if ((n["ours"] == 0) != (run ~ /own/))
				print "the wrong network namespace"
		}' "$T/out"
done
