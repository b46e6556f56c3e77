# SPDX-License-Identifier: MIT
"""Fires a probe below frames of all kinds, so that frames.d shows the stack of each. Line numbers matter."""

import asyncio
import functools
import os
import sys
import threading

import dtrace

provider = dtrace.Provider("frames")
probe = provider.add_probe("here", str)
provider.enable()


def here(what):
	probe.fire(what)


class Class:
	def __init__(self):
		here("constructor")

	def __del__(self):
		here("destructor")

	def __enter__(self):
		return self

	def __exit__(self, *_):
		here("exit")

	@property
	def attribute(self):
		here("property")

	@staticmethod
	def method(f):
		return f()

	def __lt__(self, other):
		here("comparison")
		return True


def generator():
	here("generator")
	yield 1
	here("generator again")


def decorated(f):
	@functools.wraps(f)
	def wrapper(*args):
		return f(*args)
	return wrapper


@decorated
def función(n):
	here("non-ASCII")


def recursion(n):
	if n:
		return recursion(n - 1)
	here("recursion")


async def coroutine():
	await asyncio.sleep(0)
	here("coroutine")


def exceptions():
	try:
		1 / 0
	except ZeroDivisionError:
		here("handler")
	finally:
		here("finally")


def thread():
	worker = threading.Thread(target=lambda: here("thread"))
	worker.start()
	worker.join()


def child():
	pid = os.fork()
	if not pid:
		here("child")
		os._exit(0)
	os.waitpid(pid, 0)


here("module")
with Class() as c:
	c.attribute
	Class.method(lambda: here("lambda"))
	sorted([c, c])
del c
for _ in generator():
	pass
función(1)
recursion(3)
asyncio.run(coroutine())
exceptions()
thread()
child()
[here("comprehension") for _ in "1"]
exec("\n\nhere('exec')")
exec(compile("def made():\n here('compiled')\n\nmade()", "a file", "exec"))
sys.setrecursionlimit(5000)
recursion(3000)
