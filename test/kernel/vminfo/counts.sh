# SPDX-License-Identifier: MIT
# Probes of vminfo add up to what /proc/vmstat counts, line by line, while a program makes files and processes and the
# kernel runs short of memory. dtrace reports missing hits: an interrupt within a firing may change a counter, by as much as
# other hits do.
# @@kernels: 6.1 6.12 debug
# @@needs: types vmevents
# @@timeout: 120
. ../io/_lib.sh
for cpu in /sys/devices/system/cpu/cpu[1-9]*; do # on one CPU nothing changes while the kernel adds up
	echo 0 >"$cpu/online"
done
disk size=80m
cat >"$T/workload" <<'EOD'
cat /proc/vmstat >"$T/before"
dd if=/dev/zero of="$T/mnt/file" bs=64k count=600 2>/dev/null
for i in 1 2 3 4 5; do sh -c 'true & wait'; done
cp "$BIN/lives-i386" "$T/mnt"
sync
cat "$T/mnt/file" >/dev/null
echo 1 >/proc/sys/vm/drop_caches
"$T/mnt/lives-i386" tree 0 # from the disk, by major faults
echo 1 >/proc/sys/vm/compact_memory
least=$(cat /proc/sys/vm/min_free_kbytes)
free=$(sed -n 's/^MemFree: *\([0-9]*\) kB/\1/p' /proc/meminfo)
echo $((free - free / 7)) >/proc/sys/vm/min_free_kbytes # what is free is less than the kernel likes, but enough
dd if=/dev/zero of="$T/file" bs=64k count=400 2>/dev/null
echo "$least" >/proc/sys/vm/min_free_kbytes
cat /proc/vmstat >"$T/after"
EOD
dtrace -qn 'BEGIN { phase = 0; }
	fbt::vmstat_start:return { phase++; }
	vminfo::: /phase >= 1 && phase <= 3/ { @[1, probename] = sum(arg0); @times[probename] = count(); @largest[probename] = max(arg0); }
	vminfo::: /phase >= 2 && phase <= 4/ { @[2, probename] = sum(arg0); }
	vminfo:::maj_fault, vminfo:::as_fault, vminfo:::pgfault { @by[execname == "sh" || execname == "dd" || execname == "cat" ? "the program" : "others", probename] = count(); }
	vminfo:::pgfault { last = *args[1]; }
	END { printa("part %d %s %@d\n", @); printa("largest %s %@d\n", @largest); printa("times %s %@d\n", @times); printa("by %s %s %@d\n", @by); printf("a counter: %d\n", last > 0); }' -c "sh $T/workload" >"$T/out" 2>"$T/told"
# The program reads the file in two parts and an empty one, and the kernel adds up for each. Lines of events begin with pgpgin.
awk 'function lacks(part, name, more) { # pgpgin and pgpgout are shown in kibibytes
		unit = name ~ /^pgpg/ ? 2 : 1
		off = more * unit - sum[part, name]
		return unit == 2 && -2 < off && off < 2 ? 0 : off
	}
	function least(a, b) { return a >= 0 && (b < 0 || a < b) ? a : b }
	FILENAME ~ /before/ { before[$1] = $2; if ($1 == "pgpgin") event = 1; if (event) names[++n] = $1; next }
	FILENAME ~ /after/ { after[$1] = $2; next }
	FILENAME ~ /told/ { told += / missed / ? $2 : 0; next } # dtrace reports once a second
	$1 == "part" { sum[$2, $3] = $4 }
	$1 == "times" { times[$2] = $3 }
	$1 == "largest" { largest[$2] = $3 }
	END {
		for (i = 1; i <= n; i++) {
			more = after[names[i]] - before[names[i]]
			lacking = least(lacks(1, names[i], more), lacks(2, names[i], more))
			missed = largest[names[i]] ? int((lacking + largest[names[i]] - 1) / largest[names[i]]) : lacking
			if (lacking > 0 && missed <= told && lacking * 100 < more)
				told -= missed
			else if (lacking)
				printf("%s: the kernel counts %d, the probe %d or %d\n", names[i], more, sum[1, names[i]], sum[2, names[i]])
			else if (more)
				counted++
		}
		print (counted > 15 ? "more than 15" : counted), "lines are equal"
		print sum[1, "pgfault"] == sum[1, "as_fault"] ? "as_fault is pgfault" : "as_fault differs"
		print sum[1, "scan"] == sum[1, "pgscan_kswapd"] + sum[1, "pgscan_direct"] + sum[1, "pgscan_khugepaged"] ? "scan is their sum" : "scan differs"
		print sum[1, "scan"] ? "the kernel scanned" : "no scan"
		print sum[1, "pgout"] == times["pgpgout"] && sum[1, "pgin"] == times["pgpgin"] && sum[1, "pgin"] ? "pgin and pgout count how often" : "pgin or pgout differs"
		split("maj_fault pgmajfault dfree pgfree pgrec pgactivate pgrrun pageoutrun", pair)
		for (i = 1; i < 8; i += 2)
			print pair[i] (sum[1, pair[i]] == sum[1, pair[i + 1]] ? " is " : " " sum[1, pair[i]] + 0 " differs from " sum[1, pair[i + 1]] + 0 " of ") pair[i + 1], (sum[1, pair[i]] ? "some" : "none")
	}' "$T/before" "$T/after" "$T/told" "$T/out"
grep 'by the program pgfault' "$T/out" >/dev/null && echo "faults are the program's"
grep 'a counter' "$T/out"
no_disk
for cpu in /sys/devices/system/cpu/cpu[1-9]*; do
	echo 1 >"$cpu/online"
done
