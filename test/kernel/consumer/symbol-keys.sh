# SPDX-License-Identifier: MIT
# @@worlds: kernel profile-N samples addresses of the kernel
# @@kernels: 6.1 6.12
# Keys that are symbols are one row for each name; %A of a plain key names an address of $target, also when that has ended.
. ../_lib.sh
dtrace -qn 'profile-997 /arg0/ { @[mod(arg0)] = count(); @s["samples"] = count(); } tick-10ms /++n == 100/ { exit(0); }' >"$T/out"
awk '$1 == "vmlinux" { rows++; n += $2 } $1 == "samples" { all = $2 } END { print "vmlinux: rows", rows, (n > 0 && n <= all) }' "$T/out"
dtrace -qc 'victim fire 20' -n '
victim$target:::tick { @[uregs[R_PC]] = count(); @u[usym(uregs[R_PC])] = count(); }
END { printa("%A %@d\n", @); printa("%A %@d\n", @u); }' | sed 's/+0x[0-9a-f]*//'
