# SPDX-License-Identifier: MIT
"""Measures what the probes in Perl and Python cost while nobody traces: builds without, with ours and with SystemTap's, run in turn."""

import os
import re
import resource
import subprocess
from pathlib import Path

HERE = Path(__file__).resolve().parent
VARIANTS = {"off": "no probes", "on": "DTrace", "systemtap": "SystemTap"}
RUNS = 25	# of each; the best is one that nothing disturbed
ROUNDS = {"calls.pl": 400, "words.pl": 150, "calls.py": 1500, "words.py": 120, "cycles.py": 400}


def command(cache, variant, script, *arguments):
	"""How the interpreter of a build runs a script."""
	if script.suffix == ".pl":
		tree = cache / "perl" / variant
		start = [tree / "perl", f"-I{tree}/lib"]
	else:
		start = [cache / "python" / variant / "python", "-I"]
	return [str(word) for word in (*start, script, *arguments)]


def seconds(argv):
	"""Processor time of one run in user land."""
	before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
	subprocess.run(argv, check=True, stdout=subprocess.DEVNULL)
	return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def times(cache, script):
	"""The best time of each build; they take turns, so that what disturbs one disturbs all."""
	found = {variant: [] for variant in VARIANTS}
	for _ in range(RUNS):
		for variant, list_of in found.items():
			list_of.append(seconds(command(cache, variant, script, ROUNDS[script.name])))
	return {variant: min(list_of) for variant, list_of in found.items()}


def instructions(cache, script):
	"""
	Instructions that a longer run takes more than a short one: those of the start are no matter. They are not the same each
	time, by addresses' hashes: the more rounds, the less so.
	"""
	def count(variant, rounds):
		done = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null",
				       *command(cache, variant, script, rounds)], capture_output=True, text=True,
				      check=True, env=dict(os.environ, PYTHONHASHSEED="0", PERL_HASH_SEED="0"))
		return int(re.search(r"Collected\s*:\s*(\d+)", done.stderr)[1])

	return {variant: count(variant, 18) - count(variant, 3) for variant in VARIANTS}


def ratios(found, digits):
	return [f"{found[variant] / found['off']:.{digits}f}" for variant in ("on", "systemtap")]


def rows(cache):
	"""Head and rows of the table."""
	head = ["benchmark", "no probes: s"] + [f"{VARIANTS[v]}: {what}" for what in ("time", "instructions")
						 for v in ("on", "systemtap")]
	table = []
	for script in sorted((HERE / "interpreters").iterdir()):
		taken = times(cache, script)
		counted = instructions(cache, script)
		table.append([f"`{script.name}`", f"{taken['off']:.2f}"] + ratios(taken, 3) + ratios(counted, 4))
	return head, table
