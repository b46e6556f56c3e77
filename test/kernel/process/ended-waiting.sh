# SPDX-License-Identifier: MIT
# @@worlds: user the module does not wait for start-up objects
# A program that starts while dtrace is busy ends before dtrace answers it. dtrace prints no message.
. ../_lib.sh

# waits - whether the program has told dtrace of its probes, and waits for the answer.
waits() { ls -l "/proc/$V/fd" | grep -q socket: && grep -q 'State:.S' "/proc/$V/status"; }

trace -n 'victim*:::tick { @ = count(); }'
kill -STOP $TRACE
victim fire 3 &
V=$!
await waits
kill -KILL $V
wait $V 2>/dev/null
kill -CONT $TRACE
victim fire 2
untrace
