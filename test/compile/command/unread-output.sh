# SPDX-License-Identifier: MIT
# A listing whose reader has gone ends without a message, however much of it is in stdio's buffer then, as in `dtrace -l | head -1`.
mkfifo gone
words=-l
for i in $(seq 30); do
	words="$words -n dtrace:::"
	{
		cat gone
		dtrace $words || echo "$i: status $?" >&2
	} | {
		exec <&-
		: >gone
	}
done
echo "no message"
