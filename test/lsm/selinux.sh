# SPDX-License-Identifier: MIT
# Processes that SELinux confines, by a policy of a few types (selinux.cil). A running one is traced
# without the module and with it, one that starts without it. Each try prints a name and what dtrace says, in one line.
mkdir -p /sys/fs/selinux
mount -t selinuxfs selinuxfs /sys/fs/selinux
cat /policy >/sys/fs/selinux/load
echo 1 >/sys/fs/selinux/enforce
mkfifo /go

# become TYPE COMMAND... - execute a command as a process of a type.
become()
{
	printf 'u:r:%s:s0' "$1" >/proc/self/attr/current || exit
	shift
	exec "$@"
}

try()
{
	what=$1
	shift
	echo "$what: $("$@" 2>&1 | tr '\n' ' ' | sed 's/  */ /g; s/^ //; s/ $//; s/[Pp]id [0-9]*/pid N/g; s/victim[0-9][0-9]*/victimN/g; s/process [0-9][0-9]*/process N/; s/ Terminated$//')"
}

# running TYPE WORLD - trace a process that runs.
running()
{
	(become "$1" victim fire 1 wait /go fire 4) &
	while ! grep -q victim /proc/$!/comm; do sleep 0.1; done
	timeout 60 dtrace -wqx world="$2" -p $! -n 'BEGIN { system("echo >/go"); } victim$target:::tick { @ = count(); }'
	kill $! 2>/dev/null
	wait $! 2>/dev/null
}

# starts TYPE - trace a process that starts.
starts()
{
	(become "$1" victim fire 1) # the program itself runs
	timeout 60 dtrace -Zqx world=user -c "sh -c 'printf u:r:$1:s0 >/proc/self/attr/current; exec victim fire 3'" -n 'victim*:::tick { @ = count(); }'
}

# child TYPE - trace a process that dtrace starts, where dtrace is of the type too.
child()
{
	(become "$1" timeout 60 dtrace -qx world=user -c 'victim fire 2' -n 'victim$target:::tick { @ = count(); }')
}

for type in open_t guarded_t mapless_t heapless_t; do
	echo "--- $type"
	try running running $type user
	try "running, with the module" running $type kernel
	try starts starts $type
	try child child $type
done
