# SPDX-License-Identifier: MIT
# @@worlds: user the module leaves nothing in processes
# @@timeout: 240
# dtrace is killed at each ptrace request and each descriptor that it takes while it joins a process. The process lives,
# and after one more session it has no descriptor and no mapping more than after a session that was not killed.
. ../_lib.sh
command -v strace >/dev/null || { echo "no strace"; exit 77; }
pipes in out
resumed 2 <"$T/in" >"$T/out" &
V=$!
exec 8>"$T/in" 9<"$T/out"

# session [COMMAND...] - one session of the process, run by a command.
session()
{
	"$@" dtrace -qp $V -n 'resumed$target:::hit { @ = count(); exit(0); }' >"$T/hits" 2>"$T/session.err"
}

mappings() { wc -l <"/proc/$V/maps"; }
descriptors() { ls "/proc/$V/fd" | wc -l; }

# killed CALL... - kill a session at the first of these system calls, at the second, and so on, until one lives.
killed()
{
	n=1
	while ! session strace -fqqo /dev/null -e trace="$1" -e inject="$1:signal=KILL:when=$n"; do
		n=$((n + 1))
	done
	[ $n -gt "$2" ] && echo "killed at each $1" || echo "killed $((n - 1)) times at $1"
}

echo stop >&8
read -r fired <&9 # the program has begun
echo go >&8
read -r gone <&9
before=$(descriptors)
session && session
mappings=$(mappings)
killed ptrace 40
killed pidfd_getfd 2
killed sendmsg 2
session && grep -q '[1-9]' "$T/hits" && echo "hits" || cat "$T/session.err"
[ "$(mappings)" -le "$mappings" ] && echo "no more mappings" || echo "$(mappings) mappings, not $mappings"
[ "$(descriptors)" = "$before" ] && echo "no more descriptors" || { ls -l "/proc/$V/fd"; cat "/proc/$V/maps"; }
echo stop >&8
read -r fired <&9
[ "$fired" -gt 0 ] && echo "the program goes on"
kill $V
