# SPDX-License-Identifier: MIT
"""The suites that can be run: each suite as a list of jobs, each job a function that returns results."""

import dataclasses
import functools
import json
import os
import re
import subprocess
import tempfile
from pathlib import Path

import program

TOP = Path(__file__).resolve().parents[2]
TEST = TOP / "test"
BUILD = Path(os.environ.get("DTRACE_BUILD") or TOP / "build").resolve()

# Suites with a program of their own, test/SUITE/run, that prints TAP.
PROGRAMS = ("compile", "output", "completion", "docs", "samples", "elf", "userland", "door", "sdk", "install", "package", "tracers", "lsm", "provider", "vm", "lint")
GUEST_PROGRAMS = ("docs", "samples", "tracers", "lsm", "provider", "vm")	# those that boot guests
DOORLESS = ("docs", "door", "sdk")	# that a session of another suite would disturb: its programs would join that
# The words that a suite's program is given. One that waits for what it runs, as configure does, is several jobs.
PARTS = {"install": (("tree",),),
	 "provider": (("6.12",),),
	 "samples": (("--no-guest",),),
	 "sdk": (("installed_cmake",), ("installed_autoconf",), ("installed_make", "installed_pkgconfig", "installed_runtime", "installed_foreign"),
		 ("languages", "modern"), ("refusals", "aarch64", "systemtap", "drti"))}
# More of a suite, for `make check-release`: each compiler in many ways, other machines, the builds of others, the guest of the samples,
# the other kernel of the example provider.
RELEASE_PARTS = {"install": (("module",),),
		 "provider": (("6.1",),),
		 "samples": (("--guest",),),
		 "sdk": (("ways", "copies"), ("linkers",), ("lto", "calls"), ("modern_ways",), ("aarch64_ways",), ("installed_fetched", "installed_automake"), ("installed_cross",))}
ALL = ("kernel",) + PROGRAMS + ("fuzz", "user", "unit")	# the longest first: no processor is idle at the end
RELEASE = ("package", "tracers", "vm", "fuzz")	# suites of `make check-release`: `make check` would take too long with them
CHECK = tuple(suite for suite in ALL if suite not in RELEASE)

UNIT_SECONDS = 120
UNIT_SKIPPED = 77	# status of a test that cannot run here; its error output says why
PROGRAM_SECONDS = 1200	# tracers boots two guests of 480 s
GRACE = 5		# for programs that have to end others


class UsageError(Exception):
	"""The command line asks for something that is not there."""


@dataclasses.dataclass
class Result:
	"""The result of one test."""
	name: str
	ok: bool
	detail: str = ""	# shown when it failed
	skip: str = ""		# why it did not run, if it did not
	flaky: bool = False	# it failed, as detail says, and passed when it was run once more
	seconds: int = None	# how long a kernel case took, by the guest's clock


def environment(**more):
	"""Return the environment of every test program: nothing of a make that runs the tests."""
	mine = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")}
	known = dict(TOP=str(TOP), BUILD=str(BUILD), DTRACE_BUILD=str(BUILD),
		     STAGE=os.environ.get("DTRACE_STAGE") or str(BUILD / "stage"), LC_ALL="C")
	return {**mine, **known, **more}


def plain(path, link):
	"""PATH by a name that compilers' options and make can have: if it has blanks, LINK leads there."""
	if not re.search(r"\s", path):
		return path
	Path(link).symlink_to(path)
	return link


def execute(command, seconds, cwd, **variables):
	"""Run COMMAND: (status, stdout, stderr); status is None when it ran out of time."""
	try:
		status, out, err = program.run(command, seconds, GRACE, cwd=cwd, env=environment(**variables))
	except OSError as e:
		return 126, "", f"{command[0]}: {e.strerror}\n"
	return status, out.decode(errors="replace"), err.decode(errors="replace")


# ---- unit: the programs that CMake registered with add_test

def unit_jobs():
	tree = BUILD / "asan"
	if not tree.is_dir():
		return [lambda: [Result("unit", False, "nothing built in build/asan: run `make asan`")]]
	text = subprocess.run(["ctest", "--test-dir", tree, "--show-only=json-v1"],
			      capture_output=True, text=True, check=True).stdout
	return [functools.partial(unit, test) for test in json.loads(text)["tests"]]


def unit(test):
	properties = {p["name"]: p["value"] for p in test.get("properties", [])}
	name = f"unit/{test['name']}"
	if "command" not in test:
		return [Result(name, False, "not built")]
	status, out, err = execute(test["command"], UNIT_SECONDS, properties.get("WORKING_DIRECTORY"))
	why = "out of time" if status is None else f"status {status}"
	if status == UNIT_SKIPPED:
		return [Result(name, True, skip=err.strip())]
	return [Result(name, status == 0, f"{why}\n{out}{err}")]


# ---- suites with a program of their own

def program_jobs(suite, parts):
	return [functools.partial(suite_program, suite, some) for some in parts]


def suite_program(suite, parts=()):
	"""Run a suite; one that boots guests is run once more if some of it failed: what passes then is flaky."""
	if not (TEST / suite / "run").exists():
		return [Result(suite, True, skip=f"no test/{suite}/run")]
	done = suite_once(suite, parts)
	if suite not in GUEST_PROGRAMS or all(r.ok for r in done):
		return done
	again = {}		# of several results with one name, whether all passed
	for r in suite_once(suite, parts):
		again[r.name] = again.get(r.name, True) and r.ok
	return [dataclasses.replace(r, ok=True, flaky=True) if not r.ok and again.get(r.name) else r for r in done]


def suite_once(suite, parts=()):
	with tempfile.TemporaryDirectory(prefix=f"dtrace-{suite}-") as scratch:
		known = environment()
		here = {name: plain(known[name], f"{scratch}/at-{name}") for name in ("TOP", "BUILD", "STAGE")}
		path = Path(here["TOP"]) / "test" / suite / "run"
		under = [path.parents[1] / "lib/hide-doors"] if suite in DOORLESS else []
		status, out, err = execute([*under, path, *parts], PROGRAM_SECONDS, path.parent, T=scratch, **here,
					   DTRACE_BUILD=here["BUILD"], DTRACE_STAGE=here["STAGE"])
	return tap(suite, status, out, err)


def tap(suite, status, out, err):
	"""The results that the TAP text OUT tells of."""
	results, plan = [], None
	for line in out.splitlines():
		if match := re.match(r"(not )?ok\b\s*\d*\s*-?\s*([^#]*)(?:#\s*SKIP\s*(.*))?", line, re.I):
			failed, name, skip = match.groups()
			results.append(Result(f"{suite}/{name.strip()}", not failed, skip=skip or ""))
		elif match := re.match(r"1\.\.(\d+)", line):
			plan = int(match[1])
		elif line.startswith("#") and results:
			results[-1].detail += line.removeprefix("#").removeprefix(" ") + "\n"
	if plan != len(results):
		why = "ran out of time" if status is None else f"ended with status {status}"
		results.append(Result(f"{suite}/run", False, f"planned {plan} tests, told of {len(results)}; "
				      f"{why}\n{err[-4000:]}"))
	elif status and all(r.ok for r in results):
		results.append(Result(f"{suite}/run", False, f"status {status} without a failed test\n{err[-4000:]}"))
	return results


# ---- fuzz: each target for a while, from its seeds

def fuzz_jobs():
	tree = BUILD / "fuzz/test/fuzz"
	targets = sorted(p for p in tree.glob("fuzz_*") if p.is_file() and os.access(p, os.X_OK))
	if not targets:
		return [lambda: [Result("fuzz", False, "nothing built in build/fuzz: run `make fuzz`")]]
	return [functools.partial(fuzz, target) for target in targets]


def fuzz(target):
	seconds = int(os.environ.get("FUZZ_SECONDS", "5"))
	name = target.name.removeprefix("fuzz_")
	seeds = TEST / "fuzz/corpus" / name
	if not seeds.is_dir():
		return [Result(f"fuzz/{name}", False, f"no seeds in test/fuzz/corpus/{name}")]
	with tempfile.TemporaryDirectory(prefix="dtrace-fuzz-") as scratch:
		crash = BUILD / "fuzz" / f"crash-{name}-"
		command = [target, f"-max_total_time={seconds}", "-timeout=20", "-rss_limit_mb=2048",
			   f"-artifact_prefix={crash}", "-print_final_stats=1", scratch, seeds]
		status, out, err = execute(command, seconds + 120, scratch)
	return [Result(f"fuzz/{name}", status == 0, (out + err)[-6000:])]


# ---- choosing

def jobs(what, kernels):
	"""
	The jobs for the suites and cases named in WHAT, or those of `make check`; "ci" stands for those and what `make check` has
	no time for in them. KERNELS limits the kernel suite.
	"""
	import guest
	import native
	chosen, cases = [], []
	ci = what == ["ci"]
	what = [] if ci else what
	for word in what or CHECK:
		if word == "kernel":
			cases += [case for folder in guest.FOLDERS for case in guest.find(TEST / folder)]
		elif word == "fuzz":
			chosen += fuzz_jobs()
		elif word == "unit":
			chosen += unit_jobs()
		elif word == "user" and kernels:
			cases += native.cases()
		elif word == "user":
			chosen += native.jobs(native.cases())
		elif word == "release":
			chosen += jobs(RELEASE, kernels)
			for suite, parts in RELEASE_PARTS.items():
				chosen += program_jobs(suite, parts)
		elif word in PROGRAMS:
			chosen += program_jobs(word, PARTS.get(word, ((),)) + (RELEASE_PARTS.get(word, ()) if what else ()))
		else:
			cases += guest.find(locate(word, guest.FOLDERS))
	if cases and kernels == [guest.USER]:
		chosen = native.jobs(cases) + chosen
	elif cases:
		chosen = guest.jobs(cases, kernels, ci) + chosen
	elif "kernel" in (what or CHECK):
		chosen.append(lambda: [Result("kernel", False, "no cases in test/kernel")])
	return chosen


def locate(word, folders):
	"""The file or folder of kernel cases that WORD names, from here or from test/: one of FOLDERS, or below one."""
	for path in (Path(word), TEST / word):
		if path.exists() and TEST in path.resolve().parents:
			suite, *below = path.resolve().relative_to(TEST).parts
			if suite in folders:
				return path.resolve()
			if suite in PROGRAMS:
				raise UsageError(f"{word}: not a kernel case: run test/{suite}/run {'/'.join(below)}")
	raise UsageError(f"{word}: neither a suite ({' '.join(ALL)}) nor a file or folder below "
			 f"{', '.join(f'test/{folder}' for folder in folders)}")
