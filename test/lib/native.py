# SPDX-License-Identifier: MIT
"""The suite `user`: cases of the kernel suite in the user world, on this machine, without a guest and without root."""

import dataclasses
import functools
import os
import subprocess
import tempfile
import time

import guest
import program
from suites import BUILD, TEST, Result, environment

BUSY = 3		# how much longer a case may take than in a guest of its own: other jobs run at the same time
NAMESPACES = ("unshare", "--user", "--map-root-user", "--mount", "--pid", "--ipc", "--fork", "--kill-child")


def cases():
	"""All cases of the suite."""
	return [case for area in guest.NATIVE for case in guest.find(TEST / "kernel" / area)]


def jobs(chosen):
	"""A job for each of the cases CHOSEN; one that fails if they cannot be run here."""
	if reason := refusal():
		return [lambda: [Result(guest.USER, False, reason)]]
	return [functools.partial(run, case) for case in chosen]


def refusal():
	"""Why no case can be run on this machine, or nothing."""
	if not (BUILD / "stage").is_dir():
		return "nothing installed in build/stage: run `make stage`"
	asked = subprocess.run([*NAMESPACES, "true"], capture_output=True, text=True)
	if asked.returncode == 0:
		return ""
	return (f"the cases need namespaces of users, mounts and processes: {asked.stderr.strip()}\n"
		"allow them (sysctl user.max_user_namespaces, kernel.apparmor_restrict_unprivileged_userns; in a container,\n"
		"its profile of seccomp)")


def run(case):
	"""Run CASE; if it fails, once more: if it passes then, it is flaky."""
	if reason := case.elsewhere(guest.USER):
		return [Result(f"{guest.USER}:{case.name}", True, skip=reason)]
	result = run_once(case)
	if not result.ok and run_once(case).ok:
		result = dataclasses.replace(result, ok=True, flaky=True)
	return [result]


def run_once(case):
	limit = case.seconds(slow=False) * BUSY
	began = time.monotonic()
	with tempfile.TemporaryDirectory(prefix="dtrace-user-") as root:
		command = [*NAMESPACES, "sh", TEST / "lib/native-run", root, f"/test/{case.path.parent.relative_to(TEST)}",
			   case.command()]
		status, out, err = program.run(command, limit, env=environment(KERNEL=guest.USER, DTRACE_OPT_WORLD=guest.USER))
	out, err = (text.decode(errors="replace") for text in (out, err))
	return guest.judge(case, f"{guest.USER}:{case.name}", status, time.monotonic() - began, out, err, limit, guest.USER)
