# SPDX-License-Identifier: MIT
"""Measures what a hit costs in the user world, beside LTTng-UST and bpftrace: programs of this machine, without a guest."""

import os
import re
import subprocess
from pathlib import Path

SOURCES = Path(__file__).resolve().parent / "native"
HITS, ROUNDS = 5000, 200	# short rounds and many: the best is one that nothing disturbed
THREADS = 8
STARTS = 100			# of a program that nobody traces; the least counts
TURNS = 3			# of all tracers, one after the other; the least counts
CLAUSES = ("@ = count()", "@[arg0] = count()", "@[arg0] = quantize(arg1)", "trace(arg0)")


class NativeError(Exception):
	"""A program that is needed is missing or fails, or hits were lost."""


def run(command, cwd, **more):
	done = subprocess.run([str(c) for c in command], capture_output=True, text=True, cwd=cwd, **more)
	if done.returncode:
		raise NativeError(f"{' '.join(map(str, command))}: status {done.returncode}\n{done.stderr}")
	return done


def figures(done):
	"""Return what hit.c has printed: nanoseconds of a hit, and nanoseconds of processor time."""
	match = re.search(r"^(-?[\d.]+) (-?[\d.]+)$", done.stderr, re.M)
	if not match:
		raise NativeError(f"the program has measured nothing:\n{done.stderr}")
	return float(match[1]), float(match[2])


def check(name, done, threads=1):
	"""Fail unless the counts, which end lines, add up to all hits: one that is dropped costs less."""
	lines = done.stdout.splitlines()
	bars = [line for line in lines if "|" in line]	# of a distribution, which has lines without counts
	counted = sum(int(line.split()[-1]) for line in bars or lines if re.search(r"\d\s*$", line))
	if counted != HITS * ROUNDS * threads:
		raise NativeError(f"{name}: {counted:,} of {HITS * ROUNDS * threads:,} hits were counted\n{done.stdout[-1000:]}{done.stderr}")


class Programs:
	"""The program of hit.c with each kind of probe, built in FOLDER, and those that trace it. STAGE: where dtrace is installed."""

	def __init__(self, folder, stage):
		self.folder, prefix = folder, stage / "usr/local"
		self.dtrace_path = prefix / "bin/dtrace"
		build = ["gcc", "-O2", SOURCES / "hit.c", "-pthread"]
		run([*build, f"-I{prefix}/include", prefix / "lib/dtrace/drti.o", "-o", "hit"], folder)
		run([*build, f"-I{SOURCES}", "-DLTTNG", "-llttng-ust", "-ldl", "-o", "hit_lttng"], folder)

	def dtrace(self, clause, threads=1):
		done = run([self.dtrace_path, "-x", "world=user", "-x", "switchrate=10ms", "-c", f"./hit {HITS} {ROUNDS} {threads}",
			    "-qn", f"bench$target:::hit {{ {clause}; }}"], self.folder)
		if "drop" in done.stderr:
			raise NativeError(f"{clause}: {done.stderr}")
		if clause.startswith("@"):
			check(clause, done, threads)
		return figures(done)

	def lttng(self):
		env = dict(os.environ, LTTNG_HOME=str(self.folder))
		lttng = lambda *words: run(["lttng", *words], self.folder, env=env)
		lttng("create", "bench", f"--output={self.folder}/trace")
		try:
			lttng("enable-channel", "-u", "--subbuf-size=4M", "--num-subbuf=8", "channel")
			lttng("enable-event", "-u", "-c", "channel", "bench:hit")
			lttng("start")
			measured = figures(run(["./hit_lttng", HITS, ROUNDS, 1], self.folder, env=env))
			if "discarded" in lttng("stop").stderr:
				raise NativeError("LTTng has discarded events")
		finally:
			lttng("destroy", "bench")
		return measured

	def bpftrace(self):
		# Debian's succeeds, though it says that it could neither lift the limit of locked memory nor detach.
		done = run(["bpftrace", "-c", f"./hit {HITS} {ROUNDS} 1", "-e", "usdt:./hit:bench:hit { @ = count(); }"], self.folder)
		check("bpftrace", done)
		return figures(done)

	def gap(self, traced):
		"""The longest time in microseconds for which a program stood still: while dtrace joined and left it, or by itself."""
		with subprocess.Popen(["./hit", "gap"], stdout=subprocess.PIPE, text=True, cwd=self.folder) as program:
			program.stdout.readline()
			if traced:
				run([self.dtrace_path, "-x", "world=user", "-p", program.pid, "-qn",
				     "bench$target:::hit { @ = count(); } tick-200ms { exit(0); }"], self.folder)
			return int(program.stdout.read())

	def start(self):
		"""How many microseconds the start-up object takes in a program that nobody traces."""
		return min(int(run(["./hit", "start"], self.folder).stdout) for _ in range(STARTS)) / 1e3


def measure(programs):
	"""The least of all turns, by name."""
	best = {}

	def note(name, value):
		best[name] = min(value, best.get(name, value))

	for _ in range(TURNS):
		for clause in CLAUSES:
			note(clause, programs.dtrace(clause)[0])
		for threads in (1, THREADS):
			note(threads, programs.dtrace("@[arg0] = count()", threads)[1])
		note("lttng", programs.lttng()[0])
		note("bpftrace", programs.bpftrace()[0])
		for traced in (False, True):
			note(traced, programs.gap(traced))
		note("start", programs.start())
	return best


def rows(folder, stage):
	"""Cells of a table of what a hit costs, and of one of what else a program notices."""
	best = measure(Programs(folder, stage))
	hits = [[f"dtrace, `{clause}`", f"{best[clause]:.0f}", f"{best[clause] / best['lttng']:.2f}", f"{best[clause] / best['bpftrace']:.2f}"]
		for clause in CLAUSES]
	hits += [["LTTng-UST, one integer", f"{best['lttng']:.0f}", "1", f"{best['lttng'] / best['bpftrace']:.2f}"],
		 ["bpftrace, `@ = count()`", f"{best['bpftrace']:.0f}", f"{best['bpftrace'] / best['lttng']:.2f}", "1"]]
	more = [[f"processor time of a hit, `@[arg0] = count()`, {threads} thread{'s' if threads > 1 else ''}", f"{best[threads]:.0f} ns"]
		for threads in (1, THREADS)]
	more += [["start-up object in a program that nobody traces", f"{best['start']:.1f} µs"],
		 ["longest standstill of a program that nobody traces", f"{best[False]} µs"],
		 ["the same while `dtrace -p` joins and leaves it", f"{best[True]} µs"]]
	return hits, more
