# SPDX-License-Identifier: MIT
"""The kernel suite: many cases in one boot of a guest; the outputs come back and are compared here."""

import dataclasses
import difflib
import functools
import os
import re
import shutil
import subprocess
import tempfile
import zlib
from pathlib import Path

import program
from suites import BUILD, TEST, TOP, Result, UsageError, environment

CASE_SECONDS = 60
BOOT_SECONDS = 5400	# how long a boot may take at most, whatever its cases may: besides torture that is asked to be longer
SLOW_FACTOR = 6		# how much longer a case may take on the debug kernel
SKIP_STATUS = 77
LEAK_AREAS = ("lifecycle", "process", "torture")	# where leaks are looked for if all is run
DEBUG_KERNELS = ("debug", "voluntary")	# kernels that tools/debug-kernel builds
USER = "user"		# the user world; a name "user@KERNEL" asks for it in a guest: without the module, as an ordinary user
FOLDERS = ("kernel", "torture", "attack")	# below test/, where cases are
MANY = 100		# with more cases than that they are shared among the kernels
AGAIN_MAX = 5		# failed cases of a boot that are run once more; with more, something is broken

# The debug kernel's cases in a run of everything, about three minutes with the boot: some of each area's hardest, in the
# order of names. `make check-debug` runs all of them, and looks for leaks.
SMOKE = (
	"kernel/lifecycle/victim-killed", "kernel/pid/fork", "kernel/stacks/helper-life", "kernel/usdt/fork", "kernel/usdt/threads",
)

# In a run of everything each case is run on one of RELEASED, so that about half of each area is run on each; those that
# say `@@long: yes` are run on none, nor are those that the suite `user` runs without a guest. `make check-kernels` runs all
# of them on both. `make check` has no time for attacks, cases that say `@@long: ci`, and the debug kernel: `make check-ci` has.
RELEASED = ("6.1", "6.12")

# The areas below test/kernel whose cases need no probe of the kernel, or few of them do: the suite `user` runs them. A case
# in them that it cannot run says so itself: `@@worlds: kernel REASON`.
NATIVE = ("command", "consumer", "hostile", "lang", "pid", "process", "profile", "stacks", "usdt")

ONE_PIECE = BUILD / "test/kernel/dtrace-one-piece"	# dtrace without shared libraries: it starts in half the time
TORTURE_SECONDS = os.environ.get("TORTURE_SECONDS", "")	# of the cases in test/torture; "": each its own

# What `@@needs: ...` asks for: the command that says whether the kernel has it, and what it lacks otherwise.
NEEDS = {
	"types": ("[ -e /sys/kernel/btf/vmlinux ]", "type information"),
	"acl": ("grep -q ' posix_acl_chmod$' /proc/kallsyms", "access control lists"),
	"vmevents": ("grep -q '^pgpgin ' /proc/vmstat", "counters of the events of memory"),
	"time32": ("grep -q ' T __ia32_sys_utimes_time32$' /proc/kallsyms", "system calls with times of 32 bits"),
}


class Case:
	"""A file NAME.sh or NAME.d below test/, and what its first lines ask for."""

	def __init__(self, path):
		self.path = path
		self.name = str(path.relative_to(TEST).with_suffix(""))
		self.headers = {}
		for line in path.read_text(errors="replace").splitlines()[:20]:
			if match := re.search(r"@@([a-z]+):\s*(.*?)\s*(?:\*/)?\s*$", line):
				self.headers.setdefault(match[1], []).append(match[2])

	def header(self, name, default=""):
		return self.headers.get(name, [default])[0]

	def longer(self):
		"""How many seconds more it may take than it says, since it was asked to."""
		return int(TORTURE_SECONDS or 0) if self.path.parent.name == "torture" else 0

	def seconds(self, slow):
		return int(self.header("timeout", str(CASE_SECONDS))) * (SLOW_FACTOR if slow else 1) + self.longer()

	def wanted(self, kernel):
		"""Return whether this case is for KERNEL, or for the user world there."""
		world, kernel = parted(kernel)
		only = self.header("kernels").split()
		return not self.elsewhere(world) and (world == USER or not only or kernel in only)

	def dealt(self, kernel, ci):
		"""
		Whether this case is run on KERNEL in a run of everything, or in that of continuous integration: on none, or on the
		one of RELEASED whose turn it is. The turn depends on the name, so that another case changes nothing.
		"""
		mine = [k for k in RELEASED if self.wanted(k)]
		area, long = self.path.parent.name, self.header("long")
		if long == "yes" or (not ci and (long == "ci" or area == "attack")):
			return False
		if area in NATIVE and not self.elsewhere(USER):
			return False
		return mine[zlib.crc32(self.name.encode()) % len(mine)] == kernel

	def elsewhere(self, world):
		"""Why this case is not for WORLD: it says `@@worlds: OTHER REASON`. Nothing if it is for WORLD."""
		other, _, reason = self.header("worlds", world).partition(" ")
		return "" if other == world else reason or f"not for the {world} world, and does not say why"

	def also(self):
		"""Kernels on which this case is run besides."""
		return self.header("also").split()

	def tools(self):
		"""Programs of this machine that it runs."""
		return self.header("tools").split()

	def modules(self):
		"""Modules of the kernel that it loads."""
		return self.header("modules").split()

	def command(self, builtin=None):
		"""The shell command that runs the case in its folder. BUILTIN: the kernel's modules, if it cannot load any."""
		for tool in self.tools():
			if not shutil.which(tool):
				return f"echo {tool} is not installed; exit {SKIP_STATUS}"
		for module in self.modules():
			if builtin is not None and module not in builtin:
				return f"echo the kernel has no {module}; exit {SKIP_STATUS}"
		need = "".join(f"{has} || {{ echo the kernel has no {what}; exit {SKIP_STATUS}; }}; "
			       for has, what in map(NEEDS.get, self.header("needs").split()))
		if self.path.suffix == ".sh":
			return f"{need}sh ./{self.path.name}"
		return f"{need}dtrace -s ./{self.path.name} {self.header('args')}"

	def expected(self, suffix, header, world):
		"""Lines that must come out: those of NAME.WORLD.SUFFIX, else of NAME.SUFFIX, else those in @@HEADER: lines, else none."""
		for file in (self.path.with_suffix(f".{world}{suffix}"), self.path.with_suffix(suffix)):
			if file.exists():
				return file.read_text(errors="replace").splitlines()
		return self.headers.get(header, [])


def find(path):
	"""The cases at or below PATH, in order. Files whose name begins with _ are parts of others."""
	files = [path] if path.is_file() else sorted(path.rglob("*"))
	return [Case(p) for p in files if p.suffix in (".sh", ".d") and not p.name.startswith("_")]


def parted(name):
	"""The world and the kernel that NAME asks for."""
	world, at, kernel = name.partition("@")
	return (world, kernel) if at else ("kernel", name)


# ---- comparing

def same(expected, line):
	"""Return whether LINE is what EXPECTED says; /regex/ must match all of it."""
	if len(expected) > 2 and expected[0] == expected[-1] == "/":
		return re.fullmatch(expected[1:-1], line) is not None
	return expected == line


def difference(what, expected, text):
	"""How TEXT differs from the lines EXPECTED, for people, or nothing."""
	lines = text.splitlines()
	if len(lines) == len(expected) and all(map(same, expected, lines)):
		return ""
	# Lines that match a regex are shown as equal.
	shown = [line if i < len(lines) and same(e, line) else e
		 for i, (e, line) in enumerate(zip(expected, lines + [""] * len(expected)))]
	diff = difflib.unified_diff(shown, lines, f"expected {what}", f"actual {what}", lineterm="", n=2)
	return "\n".join(diff) + "\n"


def judge(case, label, status, seconds, out, err, limit, world="kernel"):
	"""The Result of a case that ended in WORLD."""
	if status == SKIP_STATUS:
		return Result(label, True, skip=(out.strip().splitlines() or ["no reason given"])[-1])
	detail = ""
	if seconds >= limit:
		detail += f"out of time after {limit} s\n"
	wanted = int(case.header("status", "0"))
	if status != wanted:
		detail += f"status {status}, not {wanted}\n"
	detail += difference("stdout", case.expected(".out", "stdout", world), out)
	detail += difference("stderr", case.expected(".err", "stderr", world), err)
	return Result(label, not detail, detail, seconds=seconds)


# ---- running

def jobs(cases, kernels, ci=False):
	"""
	A job for each kernel, and last one for each that only some cases are for. If no kernel is named, and there are many
	cases, those of RELEASED share them, and the debug kernel runs those of SMOKE in continuous integration. Otherwise, and
	if no kernel or both of RELEASED are named, those that only some cases are for are run too.
	"""
	chosen = []
	for name in SMOKE:
		if not (TEST / f"{name}.sh").exists():
			raise UsageError(f"{name}: a case of the debug kernel's smoke test that does not exist")
	share = not kernels and len(cases) > MANY
	debug = ("debug",) if ci or not share else ()
	for name in kernels or (*RELEASED, *debug):
		wanted = [c for c in cases if c.wanted(name)]
		if share:
			wanted = [c for c in wanted if (c.name in SMOKE if name == "debug" else c.dealt(name, ci))]
		how = boot_if_found if parted(name)[1] in DEBUG_KERNELS else boot
		first = 1 if share and name == "debug" else 0	# looking for leaks would take half of the time
		chosen += [functools.partial(how, name, part, i) for i, part in enumerate(shares(name, wanted), first)]
	also = {c: c.also() for c in cases if not share and (not kernels or set(kernels) == set(RELEASED))}
	for name in sorted({name for names in also.values() for name in names}):
		chosen.append(functools.partial(boot_if_found, name, [c for c in also if name in also[c]]))
	return chosen


def shares(name, cases):
	"""
	Divide the cases of a kernel among its boots. The debug kernel is so slow that it boots twice, at once: with kmemleak, which
	takes half of the time, for the areas in which sessions and processes come and go; and without, for the others.
	"""
	if name != "debug" or len(cases) <= MANY:
		return [cases]
	leaking = [c for c in cases if c.path.parent.name in LEAK_AREAS]
	return [leaking, [c for c in cases if c not in leaking]]


def boot_if_found(name, cases, share=0):
	"""Like boot, if the kernel NAME can be had."""
	asked = subprocess.run([TOP / "tools/vm", "--kernel", name, "--print-version"], capture_output=True, text=True)
	if asked.returncode:
		return [Result(f"kernel:{name}", True, skip=asked.stderr.strip() or "no such kernel")]
	return boot(name, cases, share)


def boot(name, cases, share=0):
	"""
	Run CASES in one boot of the kernel NAME; SHARE tells the boots of one kernel apart: only 0 looks for leaks. A few cases
	that fail are run once more, each in a boot of its own; the result of one that passes then is flaky.
	"""
	if not cases:
		return []
	done = boot_once(name, cases, share)
	failed = [i for i, result in enumerate(done[:-1]) if not result.ok]
	if not done[-1].ok or len(failed) > AGAIN_MAX or len(cases) == 1:
		return done
	for i in failed:
		again, log = boot_once(name, [cases[i]], f"{share}-again")
		if again.ok and log.ok:
			done[i] = dataclasses.replace(done[i], ok=True, flaky=True)
	return done


def boot_once(name, cases, share):
	"""The results of one boot: one for each case, in their order, and one for the kernel's log."""
	slow = parted(name)[1] in DEBUG_KERNELS
	builtin = built_in(parted(name)[1]) if slow else None
	own = [] if slow else kernel_modules(cases)
	with tempfile.TemporaryDirectory(prefix="dtrace-test-") as scratch:
		listing = Path(scratch) / "cases"
		listing.write_text("".join(f"{c.path.parent.relative_to(TEST)}\t{c.seconds(slow)}\t{c.name}\t"
					   f"{c.command(builtin)}\n" for c in cases))
		seconds = min(sum(c.seconds(slow) for c in cases) + 120, BOOT_SECONDS + sum(c.longer() for c in cases))
		command = guest_command(listing, name, share, seconds, modules(cases, name, Path(scratch)), own, tools(cases))
		status, out, err = program.run(command, env=environment())
	return results(cases, name, slow, status, out, err.decode(errors="replace"))


def modules(cases, name, scratch):
	"""
	Build the kernel modules that CASES trace for the kernel NAME, from the folders _module beside them, in SCRATCH. Return
	the paths of the modules.
	"""
	world, name = parted(name)
	folders = sorted({c.path.parent / "_module" for c in cases if (c.path.parent / "_module").is_dir()})
	if world == USER or not folders:
		return []
	tree, built = build_dir(name), {}
	for i, folder in enumerate(folders):
		copy = scratch / f"module-{i}"
		shutil.copytree(folder, copy)
		subprocess.run(["make", "-s", "-C", tree, f"M={copy}", "CONFIG_DEBUG_INFO_BTF_MODULES=",
				f"DTRACE_INCLUDE={TOP / 'include'}", "modules"],
			       stdout=subprocess.DEVNULL, check=True)
		built.update((path.name, path) for path in copy.glob("*.ko"))
	return sorted(built.values())


def build_dir(name):
	"""The build tree of the kernel NAME."""
	return subprocess.run([TOP / "tools/vm", "--kernel", name, "--print-build-dir"], capture_output=True, text=True,
			      check=True).stdout.strip()


def built_in(name):
	"""The names of the modules that the kernel NAME, which can load none of its own, has built in."""
	listing = Path(build_dir(name)) / "modules.builtin"
	return {Path(line).stem.replace("-", "_") for line in listing.read_text().splitlines()} if listing.exists() else set()


def kernel_modules(cases):
	"""Names of the kernel's own modules that CASES load."""
	return sorted({module for case in cases for module in case.modules()})


def tools(cases):
	"""Files of the programs of this machine that CASES run."""
	return sorted({path for case in cases for tool in case.tools() if (path := shutil.which(tool))})


def guest_command(listing, name, share, seconds, built, own, tools):
	"""
	The tools/vm command that runs the cases in LISTING, in SECONDS at most, with the kernel modules BUILT, those of the
	kernel's OWN, and the programs TOOLS of this machine.
	"""
	world, kernel = parted(name)
	command = ["setpriv", "--pdeathsig", "KILL", TOP / "tools/vm", "--kernel", kernel, "--timeout", str(seconds),
		   "--file", f"{listing}:/test/cases", "--file", f"{TEST}/lib/guest-run:/test/guest-run",
		   "--log", BUILD / "vm" / f"test-{Path(name).name}-{share}.log"]
	if kernel == "voluntary":
		# Its detectors measure the guest's time: let that be instructions, not how busy this machine is.
		command += ["--qemu=-icount", "--qemu=shift=4"]
	if world == USER:
		command.append("--no-module")
	trees = (*((TEST / folder, f"/test/{folder}") for folder in FOLDERS),
		 (BUILD / "test/kernel/bin", "/test/bin"), (BUILD / "samples", "/test/samples"))
	for host, there in trees:
		if host.is_dir():
			command += ["--tree", f"{host}:{there}"]
	for path, option in (("/usr/bin/strace", "--file"), ("/usr/bin/perl", "--file"), ("/usr/bin/python3.11", "--file"), ("/usr/bin/python3", "--file"),
			     ("/usr/lib/python3.11/os.py", "--file"), ("/usr/lib/python3.11/encodings", "--tree")):
		if Path(path).exists():
			command += [option, path]
	for path in built:
		command += ["--file", f"{path}:/test/modules/{path.name}"]
	for module in own:
		command += ["--module", module]
	for path in tools:
		command += ["--file", path]
	if tools:
		command += ["--mem", "2048"]
	if share:
		command.append("--no-leak-scan")
	if ONE_PIECE.exists():
		command += ["--file", f"{ONE_PIECE}:/usr/local/bin/dtrace"]
	return command + ["--", "sh", "/test/guest-run", USER if world == USER else kernel, TORTURE_SECONDS]


def results(cases, kernel, slow, status, out, err):
	"""The results of a boot: one for each case, and one for the kernel's log."""
	ended = dict(frames(out))
	told = []
	for case in cases:
		label = f"{kernel}:{case.name}"
		if case.name in ended:
			told.append(judge(case, label, *ended[case.name], case.seconds(slow), parted(kernel)[0]))
		else:
			told.append(Result(label, False, "did not end: see the kernel's log"))
	told.append(Result(f"{kernel}:kernel-log", status == 0, f"tools/vm ended with status {status}\n{err[-20000:]}"))
	return told


def frames(data):
	"""Take apart what guest-run prints: (name, (status, seconds, stdout, stderr)) for each case."""
	at = 0
	while match := re.compile(rb"@@end (\S+) (\d+) (\d+) (\d+) (\d+)\n").search(data, at):
		name, status, seconds, out, err = match[1].decode(), *map(int, match.groups()[1:])
		start = match.end()
		texts = (data[start:start + out], data[start + out:start + out + err])
		yield name, (status, seconds, *(t.decode(errors="replace") for t in texts))
		at = start + out + err
