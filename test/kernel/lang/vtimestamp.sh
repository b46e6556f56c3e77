# SPDX-License-Identifier: MIT
# @@kernels: 6.1 6.12
# vtimestamp stops while probes are handled, timestamp does not. vtimestamp grows while the thread
# runs and not while it sleeps. On a busy host, one undisturbed interval of some is enough.
# @@also: 6.1-rt 6.12-rt
dtrace -q -w -c 'victim fire 9' -n '
self uint64_t v;
self uint64_t t;
victim$target:::tick /self->v/
{
	@wall = min(timestamp - self->t >= 40000000);
	@ran = max(vtimestamp - self->v < 20000000);
}
victim$target:::tick { self->t = timestamp; self->v = vtimestamp; chill(40000000); }
END { printa("%@d ", @wall); printa("%@d\n", @ran); }' | grep .
cat >"$T/sleep.d" <<'D'
BEGIN { t = timestamp; v = vtimestamp; }
tick-50ms /timestamp - t > 300000000/ { exit(0); }
END { printf("%d %d %d\n", timestamp - t > 300000000, vtimestamp > v, vtimestamp - v < timestamp - t); }
D
dtrace -q -s "$T/sleep.d" | grep .
