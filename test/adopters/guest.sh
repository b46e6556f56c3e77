# SPDX-License-Identifier: MIT
# In a guest: makes runs of an adopter's guest_suite (test/adopters/run says which there are) and its own tests
# of DTrace, in sections that begin with "=== NAME".
# Usage: sh guest.sh ADOPTER RUN..., with CACHE in the environment
set -u
. "/adopters/$1.sh"
export SCRATCH=/tmp/scratch LANG=C HOME=/tmp
tree=$CACHE/$1/on

# call FUNCTION: one of ADOPTER.sh, in the tree, as the user it is to be run by.
call()
{
	rm -rf "$SCRATCH"
	mkdir -p "$SCRATCH"
	chown "${user:-root}" "$SCRATCH"
	cd "$tree" || exit
	su "${user:-root}" -c "SCRATCH=$SCRATCH sh -euc '. /adopters/$adopter.sh; $1'" </dev/null 2>&1
}

# Trace every probe of the project's programs, and malloc of every process, those included that are yet to start.
session()
{
	dtrace -Zq -x aggsize=4m -n "
		$provider:::{ @[probename] = count(); }
		pid*:libc.so.6:malloc:entry, pid*:libc.so.6:malloc:return /pid != \$pid/ { @malloc[probename] = count(); }
		BEGIN { printf(\"ready\n\"); }
		END { printa(\"%s %@d\n\", @); printa(\"malloc %s %@d\n\", @malloc); }" >/tmp/session.out 2>/tmp/session.err &
	session=$!
	while ! grep -qs ready /tmp/session.out; do
		kill -0 "$session" || exit
		sleep 0.1
	done
}

plain()
{
	call guest_suite
}

raised()
{
	mv "$tree/$program" /plain
	cp -p /raised "$tree/$program"
	call guest_suite
	mv /plain "$tree/$program"
}

# This and what follows has the session.
traced()
{
	session
	call guest_suite
}

own()
{
	[ ! -f "/adopters/$adopter.own" ] || call own_tests
	kill -INT "$session"
	wait "$session"
}

counts()
{
	grep -v '^ready$' /tmp/session.out | grep .
}

adopter=$1
shift
mkdir -p "$CACHE/prefix/sbin"
ln -s /usr/local/sbin/dtrace "$CACHE/prefix/sbin/dtrace"
for run in "$@" own counts; do
	echo "=== $run"
	"$run"
done
echo "=== end"
cat /tmp/session.err
