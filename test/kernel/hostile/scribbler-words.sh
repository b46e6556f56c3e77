# SPDX-License-Identifier: MIT
# @@long: yes
# @@worlds: user the module shares no memory with processes
# @@timeout: 300
# A process changes each word of the memory in use that dtrace shares with it, and fires: dtrace neither
# crashes nor hangs, takes no more memory than the buffers of a session, and reads records all the time.
[ -n "$DTRACE_SANITIZED" ] || ulimit -v 4000000 # sanitizers reserve terabytes
dtrace -x switchrate=1ms -x aggrate=1ms -s _scribbled.d -c "scribbler 2 words" >"$T/out" 2>"$T/err"
echo "status $?"
awk '/^[0-9]+ words/ { print ($1 > 50000 ? "all" : $1), "words" } /some text/ { n++ } END { print (n > 5000 ? "records" : n) }' "$T/out"
