# SPDX-License-Identifier: MIT
"""Builds the module dtrace with the library that pkg-config knows as dtrace-probes."""

import shlex
import subprocess
import sys

from setuptools import Extension, setup


def flags(option):
	"""Return the output of pkg-config; without it there is nothing to build."""
	try:
		return shlex.split(subprocess.check_output(["pkg-config", option, "dtrace-probes"], text=True))
	except (OSError, subprocess.CalledProcessError):
		sys.exit("setup.py: pkg-config does not find dtrace-probes: install DTrace, or say where "
			 "dtrace-probes.pc is: PKG_CONFIG_PATH=/opt/dtrace/lib/pkgconfig")


setup(py_modules=[], ext_modules=[Extension(
	"dtrace",
	sources=["module.c", "provider.c", "probe.c", "kind.c"],
	depends=["binding.h"],
	extra_compile_args=["-Wall", "-Wextra", "-Wno-missing-field-initializers", *flags("--cflags")],
	extra_link_args=flags("--libs"),
)])
