# SPDX-License-Identifier: MIT
"""How fast this machine's time-stamp counter is, which an emulated processor passes on."""

import ctypes
import mmap
import platform
import time

RDTSC = bytes.fromhex("0f31 48c1e220 4809d0 c3")	# rdtsc; shl $32, %rdx; or %rdx, %rax; ret
SECONDS = 0.1
TRIES = 20


def tsc_khz():
	"""The frequency in kHz, to 1 in 10,000; None if this is no x86-64 machine."""
	if platform.machine() != "x86_64":
		return None
	with mmap.mmap(-1, len(RDTSC), prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC) as code:
		code.write(RDTSC)
		start = ctypes.c_char.from_buffer(code)
		read = ctypes.CFUNCTYPE(ctypes.c_uint64)(ctypes.addressof(start))
		first = _together(read)
		time.sleep(SECONDS)
		last = _together(read)
		del start	# or the mapping could not be closed
	return round((last[1] - first[1]) * 1e6 / (last[0] - first[0]))


def _together(read):
	"""(nanoseconds, ticks) of one moment: of several readings that which was least disturbed."""
	best = None
	for _ in range(TRIES):
		before, ticks, after = time.monotonic_ns(), read(), time.monotonic_ns()
		if best is None or after - before < best[0]:
			best = (after - before, before, ticks)
	return best[1:]
