# SPDX-License-Identifier: MIT
# vtimestamp stands still while probes are handled, timestamp does not; it grows while the thread
# runs and not while it sleeps.
dtrace -q -w -c 'victim fire 5' -n '
self uint64_t v;
self uint64_t t;
victim$target:::tick /self->v/
{
	printf("%d %d\n", timestamp - self->t >= 2000000, vtimestamp - self->v < 1000000);
}
victim$target:::tick { self->t = timestamp; self->v = vtimestamp; chill(2000000); }' | grep .
cat >"$T/sleep.d" <<'D'
BEGIN { t = timestamp; v = vtimestamp; }
tick-300ms { exit(0); }
END { printf("%d %d %d\n", timestamp - t > 250000000, vtimestamp > v, vtimestamp - v < 250000000); }
D
dtrace -q -s "$T/sleep.d" | grep .
