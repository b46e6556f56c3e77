# SPDX-License-Identifier: MIT
# @@worlds: user the module leaves nothing in processes
# @@timeout: 240
# dtrace is killed at each ptrace request and each descriptor that it takes while it joins a process. The process goes on.
# After one more session it has no more descriptors and mappings than after a session that was not killed.
. ./_resumed.sh
command -v strace >/dev/null || { echo "no strace"; exit 77; }
[ -e /test/guest-run ] && { echo "its hundreds of sessions take too long in an emulated guest"; exit 77; }
resume 2

# session [COMMAND...] - run one session of the process, by a command.
session()
{
	"$@" dtrace -qp $V -n 'resumed$target:::hit { @ = count(); exit(0); }' >"$T/hits" 2>"$T/session.err"
}

# killed CALL LEAST - kill sessions at their first such call, their second, and so on, until one is not killed: more than LEAST times.
killed()
{
	n=1
	while ! session strace -fqqo /dev/null -e trace="$1" -e inject="$1:signal=KILL:when=$n"; do
		n=$((n + 1))
	done
	[ $n -gt "$2" ] && echo "killed at each $1" || echo "killed $((n - 1)) times at $1"
}

before=$(descriptors)
session && session
mappings=$(mappings)
killed ptrace 40
killed pidfd_getfd 2
killed sendmsg 2
session && grep -q '[1-9]' "$T/hits" && echo "hits" || cat "$T/session.err"
no_more "$mappings" "$before"
ask stop
[ "$answer" -gt 0 ] && echo "the program goes on"
kill $V
