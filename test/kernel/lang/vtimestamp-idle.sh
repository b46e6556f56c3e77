# SPDX-License-Identifier: MIT
# vtimestamp never goes back in the interrupts of a thread, in particular of an idle one.
# @@worlds: kernel idle threads
# @@kernels: 6.1 6.12
dtrace -qn 'sdt:::interrupt-start { self->v = vtimestamp; self->on = 1; zero += !self->v; }
	sdt:::interrupt-complete /self->on/ { idle += !pid; back += vtimestamp < self->v; self->on = 0; }
	tick-100ms /++n >= 20 && idle > 100/ { exit(0); }
	END { printf("back %d, zero %d\n", back, zero); }' | grep -v '^$'
