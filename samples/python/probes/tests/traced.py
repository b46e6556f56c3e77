# SPDX-License-Identifier: MIT
"""Fires probes in all the ways that matter while traced.d traces them: values, threads, children, errors, the end."""

import os
import sys
import threading

import dtrace

traced = dtrace.Provider("traced")
numbers = traced.add_probe("numbers", int, "int8_t", "uint8_t", "int32_t", "uint64_t")
text = traced.add_probe("text", str, bytes, "char *")
tick = traced.add_probe("tick", int)
wide = traced.add_probe("wide", *[int] * 32)
traced.enable()


def values():
	numbers.fire(-1, -1, -1, 1 << 31, -1)
	numbers.fire(1 << 64 | 5, 300, 300, True, 1 << 63)
	text.fire("caf\u00e9", b"bytes", "either")
	text.fire("lone \ud800", b"cut\0off", b"")
	wide.fire(*range(32))


def lazily():
	tick.fire_with(lambda: 42)
	tick.fire_with(lambda: (43,))
	sys.unraisablehook = lambda what: print("unraisable:", what.exc_type.__name__)
	tick.fire_with(lambda: 1 / 0)
	tick.fire_with(lambda: "wrong")
	tick.fire_with(lambda: traced.remove(numbers) or 44)
	numbers.fire(0, 0, 0, 0, 0)


def concurrently():
	threads = [threading.Thread(target=lambda: [tick.fire(1000) for _ in range(500)]) for _ in range(4)]
	for thread in threads:
		thread.start()
	for thread in threads:
		thread.join()


def afterwards():
	global traced
	traced.disable()
	tick.fire(45)
	traced.enable()
	tick.fire(46)
	del traced
	tick.fire(47)


print("enabled", tick.enabled, text.enabled)
values()
lazily()
concurrently()
if not (child := os.fork()):
	tick.fire(2000)
	os._exit(0)
os.waitpid(child, 0)
afterwards()
print("enabled", tick.enabled)
