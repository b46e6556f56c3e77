# SPDX-License-Identifier: MIT
# @@worlds: user the module maps nothing in processes
# A core dump of a traced process has less than a megabyte of dtrace's memory there: not the buffers.
. ../_lib.sh
start victim
trace -x dynvarsize=16m -p "$V" -n 'victim$target:::tick { @ = count(); n[arg0]++; }'
awk '/^[0-9a-f]+-/ { of = $6 ~ /dtrace/ }
	of && /^Size:/ { size = $2 }
	of && /^VmFlags:/ && !/ dd( |$)/ { kept += size }
	of && /^VmFlags:/ { n++ }
	END { print (n > 3 ? "several" : n), "mappings", (kept < 1024 ? "small" : kept " KB") }' "/proc/$V/smaps"
release
untrace >/dev/null
