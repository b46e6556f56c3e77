# SPDX-License-Identifier: MIT
"""Programs that tests run: each is a process group of its own, of which nothing is left when it ends, or we do."""

import os
import signal
import subprocess
import sys
import time

running = set()
stopping = False	# no more are to run


def tell(program, number):
	"""Send a signal to all processes of a program."""
	try:
		os.killpg(program.pid, number)
	except ProcessLookupError:
		pass


def end(programs, grace):
	"""End programs: those that do not end within so many seconds of being told to are killed."""
	deadline = time.monotonic() + grace
	for program in programs:
		tell(program, signal.SIGTERM)
	for program in programs:
		try:
			program.wait(max(0, deadline - time.monotonic()))
		except subprocess.TimeoutExpired:
			pass
		tell(program, signal.SIGKILL)


def run(command, seconds=None, grace=1, **how):
	"""Run a command: (status, stdout, stderr), in bytes; status is None when it ran out of time."""
	if stopping:
		raise SystemExit
	how.setdefault("stderr", subprocess.PIPE)
	with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, process_group=0, **how) as program:
		running.add(program)
		try:
			out, err = program.communicate(timeout=seconds)
			return program.returncode, out, err or b""
		except subprocess.TimeoutExpired as e:
			return None, e.stdout or b"", e.stderr or b""
		finally:
			end([program], grace)
			running.discard(program)


def end_when_told(grace=1):
	"""When we are told to end, programs end first. Whoever runs programs that do the same has more grace than they."""
	def stop(number, _frame):
		global stopping
		stopping = True
		end(list(running), grace)
		sys.exit(128 + number)
	for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
		signal.signal(number, stop)
