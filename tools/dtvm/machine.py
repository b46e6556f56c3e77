# SPDX-License-Identifier: MIT
"""Runs QEMU with a kernel and an initramfs, passes the output on, and watches the kernel's log."""

import contextlib
import os
import re
import selectors
import shutil
import socket
import subprocess
import sys
import time

from . import VmError, clock

QEMU = "qemu-system-x86_64"
DIE_WITH_US = ("setpriv", "--pdeathsig", "KILL")

# Lines by which a kernel says that something is wrong with it. Loading a module from outside the
# tree taints the kernel, which says so without any of these words. Where it gives the ip, a program
# did the wrong thing.
TROUBLE = re.compile("|".join((
	r"\bWARNING: ", r"\bBUG: ", r"kernel BUG at", r"\bOops\b", r"Kernel panic", r"KASAN: ", r"KCSAN: ", r"UBSAN: ",
	r"possible circular locking", r"possible recursive locking", r"possible irq lock inversion",
	r"inconsistent lock state", r"suspicious RCU usage", r"sleeping function called",
	r"scheduling while atomic", r"bad: scheduling from", r"held lock freed", r"invalid wait context",
	r"lock held when returning to user", r"unreferenced object", r"kmemleak: \d+ new suspected",
	r"soft lockup", r"hard LOCKUP", r"general protection fault(?! ip:)", r"Call Trace:", r"ODEBUG: ",
	r"rcu.*detected (expedited )?stall", r"blocked for more than", r"unable to handle", r"list_(add|del) corruption",
	r"unregister_netdevice: waiting", r"refcount_t: ", r"workqueue lockup", r"trying to register non-static key",
)))

# It tells of a failed allocation in the same way, with a trace: not trouble, unless our module has asked.
FAILED_ALLOCATION = re.compile(r": (vmalloc error|page allocation failure)\b")

BOOT_SECONDS = 180	# a guest that is silent for so long did not boot
SLOW_FACTOR = 4		# how much longer a debug kernel may take
SYSRQ_SECONDS = 3	# for a guest that hangs to answer to a key; a break waits for 5


class Result:
	"""How a run ended: status of the command or None, why not, and the kernel's log."""

	def __init__(self):
		self.status = None
		self.problem = None
		self.booted = False
		self.log = b""
		self.hung_at = None	# how much of the log there was when it was asked why it hangs

	@property
	def trouble(self):
		"""The first line in which the kernel complains, or None."""
		lines = self.log[:self.hung_at].decode(errors="replace").splitlines()
		failed = None	# the line about a failed allocation, until its trace has ended
		for line in lines:
			if FAILED_ALLOCATION.search(line):
				failed = line
			elif failed and "[dtrace]" in line:
				return failed.strip()
			elif failed and "Call Trace:" in line:
				continue
			elif TROUBLE.search(line):
				return line.strip()
			if "</TASK>" in line:
				failed = None
		return None


def accelerator(kvm):
	"""QEMU arguments for the processor. One TCG thread: with more, patching kernel text can hang."""
	if kvm:
		return ["-accel", "kvm", "-cpu", "host"]
	return ["-accel", "tcg,thread=single", "-cpu", "max"]


def _append(kernel, options):
	words = ["console=ttyS0", "panic=-1", "quiet", "tsc=reliable", f"softlockup_panic={int(not kernel.strict)}",
		 "sysrq_always_enabled", "no_timer_check", f"watchdog_thresh={30 if kernel.slow else 20}"]
	if kernel.slow:
		words.append("no_hash_pointers")
	if options.no_leak_scan:
		words.append("kmemleak=off")	# it takes half of the time of a kernel that has it
	words += options.append
	# On a busy host it measures a wrong one, and its clock runs several times too fast.
	khz = None if options.kvm else clock.tsc_khz()
	if khz:
		words.append(f"tsc_early_khz={khz}")
	return " ".join(words)


def _command(kernel, initrd, options, ports):
	"""The QEMU command line. PORTS are the file descriptors of log, stdout, stderr and reports."""
	args = [*DIE_WITH_US, QEMU, "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot", "-M", "q35",
		*accelerator(options.kvm), "-m", str(options.mem), "-smp", str(options.smp),
		"-kernel", str(kernel.image), "-initrd", str(initrd), "-append", _append(kernel, options),
		"-monitor", "stdio", "-device", "virtio-serial-pci"]
	args += ["-chardev", f"socket,id=log,fd={ports[0]}", "-serial", "chardev:log"]
	for number, port in enumerate(ports[1:], 1):
		args += ["-chardev", f"socket,id=c{number},fd={port}",
			 "-device", f"virtserialport,chardev=c{number},nr={number},name=port{number}"]
	return args + options.qemu


class Machine:
	"""One run of QEMU. SINKS take what arrives on stdout, on stderr and in the kernel's log."""

	def __init__(self, kernel, initrd, options, sinks):
		if not shutil.which(QEMU):
			raise VmError(f"{QEMU} is not installed: run scripts/bootstrap")
		self.options, self.result = options, Result()
		self.boot_seconds = BOOT_SECONDS * (SLOW_FACTOR if kernel.slow else 1)
		self.reports = b""
		self.sinks = sinks
		pairs = [socket.socketpair() for _ in range(4)]
		self.log, self.out, self.err, self.control = (ours for ours, _ in pairs)
		fds = [theirs.fileno() for _, theirs in pairs]
		self.process = subprocess.Popen(_command(kernel, initrd, options, fds), pass_fds=fds,
						stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
						stderr=subprocess.PIPE)
		for _, theirs in pairs:
			theirs.close()
		self.selector = selectors.DefaultSelector()
		for sock, take in ((self.log, self._take_log), (self.control, self._take_report),
				   (self.out, self._passer(0)), (self.err, self._passer(1))):
			self.selector.register(sock, selectors.EVENT_READ, take)

	def run(self):
		"""Run until the guest reports its end, dies or is out of time. Returns the Result."""
		started = time.monotonic()
		try:
			while not self._ended() and self._pump(0.2):
				self._check_time(time.monotonic() - started)
			self._drain()
		finally:
			self._stop()
		if not self._ended():
			self.result.problem = self._died()
		return self.result

	def _ended(self):
		return self.result.status is not None or self.result.problem is not None

	def _check_time(self, passed):
		booting = not self.result.booted
		limit = min(self.boot_seconds, self.options.timeout) if booting else self.options.timeout
		if passed > limit and not self._ended():
			self.result.problem = f"the guest did not {'boot' if booting else 'finish'} in {limit:g} s"
			self._autopsy()

	def _pump(self, seconds):
		"""Handle what has arrived. False when QEMU has closed everything."""
		for key, _ in self.selector.select(seconds):
			try:
				data = key.fileobj.recv(1 << 16)
			except ConnectionError:
				data = b""
			if data:
				key.data(data)
			else:
				self.selector.unregister(key.fileobj)
		return bool(self.selector.get_map())

	def _drain(self):
		"""Fetch what the guest wrote before its last report: it is in the sockets already."""
		while self.selector.get_map() and self.selector.select(0.02):
			self._pump(0)

	def _take_log(self, data):
		self.result.log += data
		self.sinks[2](data)

	def _passer(self, number):
		return lambda data: self.sinks[number](data)

	def _take_report(self, data):
		self.reports += data
		*lines, self.reports = self.reports.split(b"\n")
		for line in lines:
			self._report(line.decode(errors="replace"))

	def _report(self, line):
		word, _, rest = line.partition(" ")
		if word == "ready":
			self.result.booted = True
		elif word == "exit":
			self.result.status = int(rest)
		elif word == "fail":
			self.result.problem = rest

	def _autopsy(self):
		"""Have a guest that hangs print what its tasks and processors are doing."""
		self.result.hung_at = len(self.result.log)
		for key in (b"9", b"t", b"l"):	# all of it to the console; tasks; processors
			if not any(self._sysrq(key, armed) for armed in (False, True, False)):
				break

	def _sysrq(self, key, armed):
		"""Press the key KEY and read what comes of it. False if the guest took no notice.

		A break on the serial line has the kernel take the next byte for a key. The two come to QEMU on
		separate ways, and a busy one may take the byte first: then the break waits for another, ARMED.
		"""
		before = len(self.result.log)
		if not armed:
			self._monitor(b"chardev-send-break log\n")
			self._pump_for(0.5)
		with contextlib.suppress(OSError):
			self.log.send(key)
		self._pump_while(lambda: b"sysrq: " not in self.result.log[before:], SYSRQ_SECONDS)
		answered = b"sysrq: " in self.result.log[before:]
		if answered:
			self._pump_until_quiet()
		return answered

	def _pump_for(self, seconds):
		self._pump_while(lambda: True, seconds)

	def _pump_while(self, wanting, seconds):
		end = time.monotonic() + seconds
		while time.monotonic() < end and wanting() and self._pump(0.1):
			pass

	def _pump_until_quiet(self):
		"""Read the log until a second passes without more of it, ten seconds at most."""
		for _ in range(10):
			before = len(self.result.log)
			self._pump_for(1)
			if len(self.result.log) == before:
				break

	def _monitor(self, line):
		with contextlib.suppress(OSError):
			self.process.stdin.write(line)
			self.process.stdin.flush()

	def _stop(self):
		self.process.kill()
		self.process.wait()
		self.errors = self.process.stderr.read().decode(errors="replace").strip()

	def _died(self):
		return f"the guest stopped before the command ended{': ' + self.errors if self.errors else ''}"


def to_file(file):
	"""A sink that writes bytes to FILE at once."""
	def write(data):
		file.write(data)
		file.flush()
	return write


def run(kernel, initrd, options, log):
	"""Boot and run; LOG, a binary file, gets the kernel's log as it comes.

	A guest that hangs before it says anything gets a second chance.
	"""
	sinks = (to_file(sys.stdout.buffer), to_file(sys.stderr.buffer), to_file(log))
	result = Machine(kernel, initrd, options, sinks).run()
	if not result.booted and not result.trouble and result.problem and "did not boot" in result.problem:
		result = Machine(kernel, initrd, options, sinks).run()
	return result


# ---- KVM

def _boot_id():
	with open("/proc/sys/kernel/random/boot_id") as file:
		return file.read().strip()


def kvm_works(kernel, initrd, cache):
	"""Return whether a guest really runs under KVM here. Tried once for each boot of the host."""
	if not os.access("/dev/kvm", os.R_OK | os.W_OK):
		return False
	answer = cache / f"kvm-{_boot_id()}"
	if not answer.exists():
		options = _KvmTrial()
		works = Machine(kernel, initrd, options, [lambda _: None] * 3).run().status == 0
		answer.write_text("yes" if works else "no")
	return answer.read_text() == "yes"


class _KvmTrial:
	kvm, mem, smp, timeout, qemu, append, no_leak_scan = True, 512, 1, 15, [], [], False
