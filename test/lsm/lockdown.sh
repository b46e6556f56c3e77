# SPDX-License-Identifier: MIT
# Requests of root to a kernel that is locked down. One boot, since levels only rise. Each try prints
# a name and what dtrace says, in one line. At level none, which is the control, everything works.
mkdir -p /sys/kernel/security
mount -t securityfs securityfs /sys/kernel/security
banner=$(sed -n 's/^\([0-9a-f]*\) . linux_banner$/0x\1/p' /proc/kallsyms)

try()
{
	what=$1
	shift
	echo "$what: $("$@" 2>&1 | tr '\n' ' ' | sed 's/^ *//; s/ *$//; s/ID [0-9]*/ID N/g; s/offset [0-9]*/offset N/; s/0x[0-9a-f]*/0xN/g')"
}

tries()
{
	echo "--- $(cat /sys/kernel/security/lockdown)"
	try profile dtrace -qn 'tick-100 { trace("fires"); exit(0); }'
	try signal dtrace -wqn 'BEGIN { raise(18); trace("sent"); exit(0); } ERROR { exit(0); }'
	try store dtrace -wqn 'BEGIN { copyout(alloca(8), 8, 0); trace("stored"); exit(0); } ERROR { exit(0); }'
	try delay dtrace -wqn 'BEGIN { chill(1000); trace("chilled"); exit(0); } ERROR { exit(0); }'
	try memory dtrace -qn "BEGIN { trace(stringof((char *)$banner) != \"\" ? \"read\" : \"\"); exit(0); } ERROR { exit(0); }"
	try stack dtrace -qn 'BEGIN { @[stack()] = count(); trace("taken"); exit(0); } END { trunc(@); }'
}

tries
echo integrity >/sys/kernel/security/lockdown
tries
echo confidentiality >/sys/kernel/security/lockdown
tries
dmesg | grep -c 'Lockdown: dtrace: .* is restricted' | sed 's/^[1-9][0-9]*$/the log names dtrace/'
