# SPDX-License-Identifier: MIT
# @@worlds: kernel programs in the user world have no addresses of the kernel
# Nothing that dtrace reads can be a device: not where ioremap() has mapped one, not the local APIC, not the hole for VGA.
# Memory that the kernel has mapped in the same way is read.
. ../_lib.sh

# loaded EXPRESSION - what a load is: "loaded" or "invalid address".
loaded()
{
	dtrace -qn "BEGIN { this->x = $1; printf(\"loaded\\n\"); exit(0); }
ERROR { printf(\"%s\\n\", arg4 == 1 ? \"invalid address\" : \"another error\"); exit(0); }" 2>/dev/null | grep .
}

# area PATTERN - the addresses of some areas of /proc/vmallocinfo.
area()
{
	grep "$1" /proc/vmallocinfo | sed -n 's/^\(0x[0-9a-f]*\)-.*/\1/p' | head -n "$2"
}

before=$(cat /proc/sys/kernel/kptr_restrict)
echo 1 >/proc/sys/kernel/kptr_restrict # root sees addresses
device=$(area ioremap 1)
[ "$device" ] || echo "no device is mapped"
for at in $(area ioremap 8); do
	loaded "*(uint32_t *)$at"
done | sort -u
echo "--- memory"
for at in $(area 'pages=.* vmalloc' 8); do
	loaded "*(uint32_t *)$at"
done | sort -u
echo "--- APIC" # mapped unless the processor has x2APIC
loaded '*(uint32_t *)0xffffffffff5fd030'
echo "--- VGA"
base=$(awk '$3 == "page_offset_base" { print "*(uintptr_t *)0x" $1; exit }' /proc/kallsyms)
[ "$base" ] || base=0xffff888000000000 # the map of all memory is at a fixed address
loaded "*(uint8_t *)($base + 0x9f000)"
loaded "*(uint8_t *)($base + 0xa0000)"
loaded "*(uint8_t *)($base + 0xfffff)"
loaded "*(uint8_t *)($base + 0x100000)"
echo "--- by other ways"
loaded "*(uint64_t *)($base + 0x9fffc)"
loaded "stringof((char *)$device)"
loaded "strlen((string)$device)"
loaded "mutex_owned((void *)$device)"
loaded "(bcopy((void *)$device, alloca(4), 4), 0)"
loaded "d_path((void *)$device)"
echo "$before" >/proc/sys/kernel/kptr_restrict
