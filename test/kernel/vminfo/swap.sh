# SPDX-License-Identifier: MIT
# Pages that are put into swap space and read back are as many as /proc/vmstat counts, by the kernel's names and those of other
# systems, whatever the module is called.
# @@kernels: 6.1 6.12 debug
# @@modules: brd
# @@timeout: 90
. ../_lib.sh

# counted NAME - print a line of /proc/vmstat.
counted()
{
	awk -v name="$1" '$1 == name { print $2 }' /proc/vmstat
}
load brd rd_nr=1 rd_size=16384
mkswap /dev/ram0 >/dev/null
swapon /dev/ram0
out=$(counted pswpout) in_=$(counted pswpin)
dtrace -qn 'vminfo:vmlinux::pswpout, vminfo:genunix::pgswapout, vminfo:unix::anonpgout, vminfo:kernel::swapout,
	vminfo:vmlinux::pswpin, vminfo:mach_kernel::pgswapin, vminfo:genunix::anonpgin, vminfo:mach_kernel::swapin {
		@[probename] = sum(arg0); @times[probename] = count(); }
	END { printa("sum %s %@d\n", @); printa("times %s %@d\n", @times); }' -c "counted swapped 300" >"$T/out"
awk -v out=$(($(counted pswpout) - out)) -v in_=$(($(counted pswpin) - in_)) '
	$1 == "sum" { sum[$2] = $3 }
	$1 == "times" { times[$2] = $3 }
	END {
		print (out >= 300 && in_ >= 300) ? "all pages, twice" : out " pages to swap space, " in_ " from there"
		print sum["pswpout"] == out && sum["pgswapout"] == out && sum["anonpgout"] == out ? "out: as the kernel counts" : "out: " sum["pswpout"] " " sum["pgswapout"] " " sum["anonpgout"] ", not " out
		print sum["pswpin"] == in_ && sum["pgswapin"] == in_ && sum["anonpgin"] == in_ ? "in: as the kernel counts" : "in: " sum["pswpin"] " " sum["pgswapin"] " " sum["anonpgin"] ", not " in_
		print sum["swapout"] == times["pswpout"] && sum["swapin"] == times["pswpin"] ? "swapin and swapout: how often" : "swapin and swapout: " sum["swapin"] " " sum["swapout"]
	}' "$T/out"
swapoff /dev/ram0
# The driver of /dev/ram0 takes pages without a bio on 6.1, that of /dev/loop0 does not.
losetup /dev/loop0 /dev/ram0
mkswap /dev/loop0 >/dev/null
swapon /dev/loop0
dtrace -qn 'io:::start /args[1]->dev_name == "loop0" && args[0]->b_flags & B_WRITE/ {
		@[args[0]->b_flags & B_PHYS ? "direct" : args[0]->b_flags & B_PAGEIO ? "by pages" : "others"] = count(); }
	END { printa("%s\n", @); }' -c "counted swapped 300" | grep -v '^[0-9]*$'
swapoff /dev/loop0
losetup -d /dev/loop0
unload brd
