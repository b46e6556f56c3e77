# SPDX-License-Identifier: MIT
"""Builds dtrace.ko for a kernel, outside the source tree and only when a source has changed."""

import hashlib
import os
import re
import shutil
import subprocess
from pathlib import Path

from . import VmError
from .paths import TOP, build_dir, cache_dir, locked

# The sources of the module. kmod/Kbuild names the files of engine/ and finds include/ beside it.
SOURCES = ("kmod", "engine", "include")


def _sources():
	"""Relative paths of all source files."""
	for folder in SOURCES:
		for above, _, files in os.walk(TOP / folder):
			for name in files:
				yield Path(above, name).relative_to(TOP)


def _fresh(module):
	"""Return whether MODULE is newer than every source."""
	if not module.exists():
		return False
	built = module.stat().st_mtime
	return all((TOP / path).stat().st_mtime < built for path in _sources())


def _copy_sources(folder):
	"""Bring the copy of the sources in PLACE up to date, so that make rebuilds what changed."""
	wanted = set(_sources())
	for path in wanted:
		source, copy = TOP / path, folder / path
		if not copy.exists() or copy.stat().st_mtime != source.stat().st_mtime:
			copy.parent.mkdir(parents=True, exist_ok=True)
			shutil.copy2(source, copy)
	for path in list(folder.rglob("*.[ch]")):
		if path.relative_to(folder) not in wanted and not path.name.endswith(".mod.c"):
			path.unlink()


def _make(kernel, folder, *more):
	# Debian's 6.12 headers would have pahole run over the module; nothing here needs its BTF.
	args = ["make", "-s", f"-j{os.cpu_count()}", "-C", kernel.build_dir(), f"M={folder / 'kmod'}",
		"CONFIG_DEBUG_INFO_BTF_MODULES=", "DTRACE_WERROR=y", *more, "modules"]
	env = {k: v for k, v in os.environ.items() if not k.startswith(("MAKE", "MFLAGS"))}
	done = subprocess.run(args, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
	if done.returncode:
		raise VmError(f"cannot build dtrace.ko for {kernel.version}:\n{done.stdout.rstrip()}")
	return done.stdout


def build(kernel, say=lambda text: None):
	"""Path of dtrace.ko for KERNEL, built if need be. SAY gets the compiler's warnings."""
	if not (TOP / "kmod/Kbuild").exists():
		raise VmError("kmod/Kbuild is missing: no module to build; use --no-module")
	copy = folder(kernel)
	module = copy / "kmod" / "dtrace.ko"
	with locked(copy):
		if not _fresh(module):
			_copy_sources(copy)
			say(_make(kernel, copy))
			os.utime(module)
	return module


def folder(kernel):
	"""The copy of the sources that dtrace.ko is built from for KERNEL: Kbuild takes no path with blanks."""
	folder = build_dir()
	if re.search(r"\s", str(folder)):
		folder = cache_dir() / ("modules-" + hashlib.sha256(str(folder).encode()).hexdigest()[:16])
	return folder / f"kmod-{kernel.version}"


def check(kernel, checker, *more):
	"""Return what CHECKER, a program like sparse, says of all sources of dtrace.ko, as they are built for KERNEL. MORE: for make."""
	build(kernel)
	with locked(folder(kernel)):
		return _make(kernel, folder(kernel), "C=2", f"CHECK={checker}", *more)
