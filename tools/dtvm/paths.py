# SPDX-License-Identifier: MIT
"""Where things are: the source tree, the build directory, the cache, and locks on them."""

import contextlib
import fcntl
import os
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]


def build_dir():
	"""The build directory: $DTRACE_BUILD, or build/ in the source tree."""
	return Path(os.environ.get("DTRACE_BUILD") or TOP / "build").resolve()


def cache_dir():
	"""The cache of unpacked kernels, created when missing."""
	base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
	cache = Path(base) / "dtrace-vm"
	cache.mkdir(parents=True, exist_ok=True)
	return cache


@contextlib.contextmanager
def locked(path):
	"""Hold an exclusive lock on PATH.lock, so that two commands do not build the same thing."""
	path.parent.mkdir(parents=True, exist_ok=True)
	with open(f"{path}.lock", "w") as lock:
		fcntl.flock(lock, fcntl.LOCK_EX)
		yield
