# SPDX-License-Identifier: MIT
# In a guest: makes runs of an adopter's tests (test/adopters/run says which there are), in sections that begin with
# "=== NAME".
# Usage: sh guest.sh ADOPTER RUN..., with CACHE in the environment
set -u
. "/adopters/$1.sh"
export SCRATCH=/tmp/scratch LANG=C HOME=/tmp CORE
export WHOLE= PERL_TEST_TIME_OUT_FACTOR=20	# that tests are over within some seconds is not what is asked here
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

SESSION=/tmp/session
tracing=dtrace
. /adopters/session.sh

# malloc of every process, those included that are yet to start.
calls='pid*:libc.so.6:malloc:entry, pid*:libc.so.6:malloc:return /pid != $pid/ { @malloc[probename] = count(); }
	END { printa("malloc %s %@d\n", @malloc); }'

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
	session "$probes" "$calls"
	call guest_suite
}

own()
{
	[ ! -f "/adopters/$adopter.own" ] || call own_tests
}

untraced()
{
	call calls_suite
}

# This and what follows has a session of malloc's calls alone.
malloc()
{
	session "$calls"
	call calls_suite
}

adopter=$1
shift
mkdir -p "$CACHE/prefix/bin"
ln -s /usr/local/bin/dtrace "$CACHE/prefix/bin/dtrace"
for run in "$@"; do
	echo "=== $run"
	"$run"
done
echo "=== end"
cat "$SESSION.err"
